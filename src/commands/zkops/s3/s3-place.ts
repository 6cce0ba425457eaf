import { runFault } from '../../ensemble/run-fault.js';
import { usageError } from '../../program/command-error.js';

/** `s3://BUCKET/PREFIX` */
export interface S3Place {
  readonly text: string;
  readonly bucket: string;
  /** Empty, or ends in a slash. */
  readonly prefix: string;
}

export interface S3Settings {
  /** The URL of the bucket, which ends in a slash. */
  readonly base: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function isS3(text: string): boolean {
  return /^s3:/i.test(text);
}

/** @throws CommandError */
export function parseS3(text: string): S3Place {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  const [, bucket, rest = ''] = found ?? [];
  const prefix = rest.replace(/\/$/, '');
  const segments = prefix === '' ? [] : prefix.split('/');
  const isGood = segments.every((each) => /^[\w.=-]{1,255}$/.test(each) && !/^\.\.?$/.test(each));
  if (bucket === undefined || bucket.includes('..') || !isGood || prefix.length > 700) {
    throw usageError(
      `invalid place: ${text} (expected s3://BUCKET/PREFIX)\nUse a-z, 0-9, dots, and dashes in the bucket, letters and digits in the prefix`,
    );
  }
  return {
    text: `s3://${bucket}${segments.map((each) => `/${each}`).join('')}`,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}

/** The standard variables of AWS. @throws CommandError that names the missing ones */
export function s3SettingsOf({ text, bucket }: S3Place, env: Environment): S3Settings {
  const setting = (name: string) => settingOf(env, name);
  const endpoint = setting('AWS_ENDPOINT_URL_S3') ?? setting('AWS_ENDPOINT_URL');
  // Stores other than AWS rarely have regions, and accept this one.
  const region =
    setting('AWS_REGION') ?? setting('AWS_DEFAULT_REGION') ?? (endpoint && 'us-east-1');
  const accessKeyId = setting('AWS_ACCESS_KEY_ID');
  const secretAccessKey = setting('AWS_SECRET_ACCESS_KEY');
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    const all = {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const missing = Object.entries(all).filter(([, value]) => value === undefined);
    throw runFault(
      `${text}: missing environment variables: ${missing.map(([name]) => name).join(', ')}\nSet them, and AWS_ENDPOINT_URL_S3 for a store other than AWS`,
    );
  }
  const base =
    endpoint === undefined
      ? awsBase(bucket, region)
      : `${checkedEndpoint(endpoint).replace(/(?<!\/)\/+$/, '')}/${bucket}/`;
  return { base, region, accessKeyId, secretAccessKey, sessionToken: setting('AWS_SESSION_TOKEN') };
}

/** The error does not repeat the value: it may be a secret. */
function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name] || undefined;
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw runFault(
    `${name}: invalid value (expected ASCII without spaces)\nDoes it have a line break at its end?`,
  );
}

/** The certificate of AWS covers no bucket with dots. */
function awsBase(bucket: string, region: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(region)) {
    throw runFault('AWS_REGION: invalid region\nUse a name such as eu-central-1');
  }
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
}

/** The error does not repeat the value: it may have a password. */
function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isPlain = url !== undefined && `${url.username}${url.password}${url.search}` === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname}`;
  throw runFault(
    'AWS_ENDPOINT_URL_S3: invalid endpoint (expected https://HOST:PORT)\nLeave out user names, passwords, and queries',
  );
}
