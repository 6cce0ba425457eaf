import { writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumTest, openPage } from '../support/machine/chromium.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { click, fill, treeUrl, waitForText, withPage } from './page-world.js';

chromiumTest('an edit that another client overtook shows three sides, and merges', () =>
  withPage(['--allow-writes'], async ({ api, client, browser }) => {
    const textOf = async () => String((await client.getData('/config')).data);
    await client.create('/config', 'one\ntwo\nthree');
    const page = await openPage(browser, treeUrl(api, '/config'));
    await waitForText(page, '#value', /two/);
    await click(page, 'Edit');
    await client.setData('/config', 'one\ntwo\ntheirs');
    await fill(page, 'textarea[aria-label=data]', 'mine\ntwo\nthree');
    await click(page, 'Save over version 0');
    const sides = /version 1; you began with 0.*\+ mine.*\+ theirs/s;
    await waitForText(page, '.conflict', sides);
    assert.is(await textOf(), 'one\ntwo\ntheirs');
    await click(page, 'Edit both changes merged');
    await click(page, 'Save over version 1');
    await waitFor('the merge', async () => (await textOf()) === 'mine\ntwo\ntheirs');
    await waitForText(page, '#value', /mine/);
    await waitForText(page, '#events', /changed.*\/config/);

    await client.create('/config/child');
    await click(page, 'Delete');
    await click(page, 'Count the znodes first');
    await click(page, 'Delete 2 znodes');
    // The page leaves the znode after the response.
    await waitForText(page, '.detail h2', /^\/$/);
    assert.is(await client.exists('/config'), null);
    await page.page.goto(`${api.url}#/changes/`);
    await waitForText(page, '#own-changes', /delete \/config \(2 znodes\).*set \/config/);
    await click(page, 'Undo …');
    await waitForText(page, '#own-changes', /create.*\/config\/child/);
    const undo = /^curl -X POST http:\/\/127\.0\.0\.1:\d+\/api\/v1\/changes\/\d+\/undo$/;
    await waitForText(page, '#own-changes .command code', undo);
    await click(page, 'Undo 2 steps');
    await waitFor('the undo', () => client.exists('/config/child'));
    assert.is(await textOf(), 'mine\ntwo\ntheirs');
    assert.equal(page.faults, []);
  }),
);

chromiumTest('a dump is imported after a preview, and an ACL that locks out is refused', () =>
  withPage(['--allow-writes'], async ({ api, client, browser }) => {
    const folder = makeTempDir('console');
    try {
      await client.create('/app', 'root');
      await client.create('/app/x', 'value');
      const dump = await (await fetch(`${api.url}api/v1/export?path=/app`)).text();
      const file = `${folder.path}/app.dump`;
      writeFileSync(file, dump);
      const page = await openPage(browser, treeUrl(api, '/app'));
      await page.page.waitForSelector('input[type=file]');
      await page.page.evaluate(
        "document.querySelector('input[type=file]').closest('details').open = true",
      );
      await fill(page, '.fields input[type=text]', '/copy');
      const input = await page.page.$('input[type=file]');
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
      await waitForText(page, '#preview', /2 znodes, 9 bytes, to \/copy; 0 of them exist/);
      await click(page, 'Import 2 znodes');
      await waitFor('the import', () => client.exists('/copy/x'));
      await waitForText(page, '.detail h2', /^\/copy$/);

      await click(page, 'Edit the ACL');
      await fill(page, 'textarea[aria-label^=ACL]', 'digest:eve:hash:cdrwa');
      await waitForText(page, '#acl-words', /user eve with the password may do everything/);
      await click(page, 'Save the ACL');
      await waitForText(page, '.fault', /could not change the ACL of \/copy again/);
      await fill(page, 'textarea[aria-label^=ACL]', 'world:anyone:ra');
      await click(page, 'Save the ACL');
      await waitFor('the ACL', async () => (await client.getACL('/copy')).acl[0]?.perms === 17);
      assert.equal(page.faults, []);
    } finally {
      folder.remove();
    }
  }),
);

chromiumTest('binary data, and text with CRLF, are edited without loss', () =>
  withPage(['--allow-writes'], async ({ api, client, browser }) => {
    const folder = makeTempDir('console');
    const holds = (path: string, bytes: Buffer) =>
      waitFor(`${path} to hold ${bytes.length} bytes`, async () =>
        (await client.getData(path)).data?.equals(bytes),
      );
    try {
      await client.create('/crlf', 'one\r\ntwo\r\n');
      const page = await openPage(browser, treeUrl(api, '/crlf'));
      await click(page, 'Edit');
      await fill(page, 'textarea[aria-label=data]', 'one\n2\n');
      await click(page, 'Save over version 0');
      await holds('/crlf', Buffer.from('one\r\n2\r\n'));

      await client.create('/bin', Buffer.of(0, 1, 2, 255));
      await page.page.goto(treeUrl(api, '/bin'));
      await waitForText(page, '#value', /00 01 02 ff/);
      await click(page, 'Edit');
      await client.setData('/bin', Buffer.alloc(20));
      await fill(page, 'textarea[aria-label^=data]', '00 01 02 f');
      await click(page, 'Save over version 0');
      await waitForText(page, '.fault', /pairs of hexadecimal digits/);
      await fill(page, 'textarea[aria-label^=data]', '00 01 02 fe');
      await click(page, 'Save over version 0');
      await waitForText(
        page,
        '.conflict',
        /version 1; you began with 0.*\+ 00 01 02 fe.*\+ 00 00/s,
      );
      await click(page, 'Replace it with my text');
      await holds('/bin', Buffer.of(0, 1, 2, 254));

      await waitForText(page, '#value', /00 01 02 fe/);
      await click(page, 'Edit');
      const file = `${folder.path}/new`;
      writeFileSync(file, Buffer.of(0x80, 0x81));
      const input = await page.page.waitForSelector('label input[type=file]');
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
      const draft = 'document.querySelector("textarea[aria-label^=data]").value';
      await waitFor('the file', async () => (await page.page.evaluate(draft)) === '80 81');
      await click(page, 'Save over version 2');
      await holds('/bin', Buffer.of(0x80, 0x81));
      assert.equal(page.faults, []);
    } finally {
      folder.remove();
    }
  }),
);

test.run();
