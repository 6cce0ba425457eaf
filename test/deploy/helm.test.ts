/** The chart in deploy/helm renders to the manifests of deploy/kubernetes. Needs no helm. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { kubernetesFaults } from './kubernetes-faults.js';

const CHART = 'deploy/helm';
const TEMPLATE = readFileSync(`${CHART}/templates/zookeeper.yaml`, 'utf8');
const MANIFEST = readFileSync('deploy/kubernetes/zookeeper.yaml', 'utf8');
const VALUES: unknown = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));

function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    const found = Object.entries(at ?? {}).find(([name]) => name === key);
    if (found === undefined) throw new Error(`values.yaml has no ${path}`);
    return found[1];
  }, values);
}

/** As helm does, for the few expressions of this chart. */
function render(template: string, name: string, values: unknown): unknown[] {
  const text = template.replace(/\{\{ (\S+)( \| toJson)? \}\}/g, (_, path: string, json) => {
    if (path === '.Release.Name') return name;
    if (path === '.Release.Namespace') return 'default';
    const value = valueAt(values, path.replace('.Values.', ''));
    return json === undefined ? String(value) : JSON.stringify(value);
  });
  assert.not.match(text, '{{');
  return parseAllDocuments(text, { strict: true }).map((document) => {
    assert.equal([...document.errors, ...document.warnings], []);
    return document.toJS();
  });
}

test('with its defaults, the chart renders to the manifests', () => {
  const manifests = parseAllDocuments(MANIFEST).map((document) => document.toJS());
  assert.equal(render(TEMPLATE, 'zk', VALUES), manifests);
});

test('the template is what npm run helm writes', async () => {
  const script = pathToFileURL(`${PROJECT_ROOT}/scripts/helm.mjs`).href;
  const { templateFrom } = await import(script);
  assert.fixture(TEMPLATE, templateFrom(MANIFEST));
  assert.throws(() => templateFrom(MANIFEST.replace('10Gi', '9Gi')), /nothing matches .*10Gi/);
});

test('another name and other values reach all manifests', async () => {
  const values = { ...(VALUES as object), replicas: 5, storage: '1Gi', superSecret: 'secret' };
  const manifests = render(TEMPLATE, 'coord', values);
  assert.equal(await kubernetesFaults(manifests), []);
  const text = JSON.stringify(manifests);
  assert.not.match(text, /"zk"|zk-headless|zk-super|zk:2181|statefulsets\/zk/);
  assert.match(text, '"replicas":5');
  assert.match(text, '"storage":"1Gi"');
  assert.match(text, 'coord-{ordinal}.coord-headless.$(NAMESPACE)');
});

test('the chart uses every value, and has the release of the package', () => {
  const used = [...TEMPLATE.matchAll(/\.Values\.([a-zA-Z]+)/g)].map(([, name]) => name);
  assert.equal([...new Set(used)].sort(), Object.keys(VALUES as object).sort());
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const chart = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'));
  assert.equal([chart.apiVersion, chart.version, chart.appVersion], ['v2', version, version]);
  assert.is(valueAt(VALUES, 'image.tag'), version);
});

test.run();
