/** The logins of a session by Kerberos. */
import type { KerberosClient } from '../../kerberos/node/kerberos-client.js';
import type { SaslClientExchange } from '../../protocol/sasl-step.js';
import type { ServerAddress } from '../base/connect-string.js';
import type { KerberosSasl } from '../base/kerberos.js';

/** An error passes, such as a KDC that does not answer; a refusal would come again. */
export type LoginResult = SaslClientExchange | { readonly refused: Error } | Error;

export class KerberosTickets {
  private readonly login: KerberosSasl;
  private client: KerberosClient | undefined;
  private attempts = 0;

  constructor(login: KerberosSasl) {
    this.login = login;
  }

  /**
   * @param hasSession which a file that is unusable now must not end
   * @param done called once, and never after `forget` or another `begin`
   */
  begin(server: ServerAddress, hasSession: boolean, done: (result: LoginResult) => void): void {
    const attempt = ++this.attempts;
    const finish = (result: LoginResult): void => {
      if (attempt === this.attempts) done(result);
    };
    this.start(server, hasSession).then(finish, finish);
  }

  forget(): void {
    this.attempts++;
  }

  private async start({ host }: ServerAddress, hasSession: boolean): Promise<LoginResult> {
    const { KerberosClient, KerberosError } = await this.login.load();
    this.client ??= new KerberosClient({ login: this.login });
    try {
      return await this.client.begin(host);
    } catch (error) {
      if (!(error instanceof KerberosError)) throw error;
      const message = `Kerberos: ${error.message}`;
      const fault = new Error(message, { cause: error });
      const passes = error.kind === 'unreachable' || (error.kind === 'local' && hasSession);
      return passes ? fault : { refused: fault };
    }
  }
}
