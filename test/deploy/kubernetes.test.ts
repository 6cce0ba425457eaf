/** The manifests in deploy/kubernetes: what can be checked without a cluster. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { kubernetesFaults } from './kubernetes-faults.js';

const FILE = 'deploy/kubernetes/zookeeper.yaml';

const documents = parseAllDocuments(readFileSync(FILE, 'utf8'), { strict: true });

// biome-ignore lint/suspicious/noExplicitAny: a manifest is data without a type
type Manifest = Record<string, any>;

const manifests: Manifest[] = documents.map((document) => document.toJS());

function only(kind: string, name = 'zk'): Manifest {
  const found = manifests.filter((one) => one['kind'] === kind && one['metadata'].name === name);
  assert.is(found.length, 1, `${kind} ${name}`);
  return found[0] ?? {};
}

const set = only('StatefulSet');
const pod = set['spec'].template;
const [container] = pod.spec.containers;

test('every document is YAML without a fault, and has a kind and a name', () => {
  for (const { errors, warnings } of documents) assert.equal([...errors, ...warnings], []);
  for (const { apiVersion, kind, metadata } of manifests) {
    assert.ok(apiVersion && kind && metadata.name, JSON.stringify(metadata));
  }
  assert.is(manifests.length, 7);
});

test('the schemas of Kubernetes find no fault, and would find one', async () => {
  assert.equal(await kubernetesFaults(manifests), []);
  const broken = structuredClone(set);
  broken['spec'].replicas = 'three';
  broken['spec'].template.spec.containers[0].livenessProb = {};
  const faults = await kubernetesFaults([broken, { ...broken, kind: 'StatfulSet' }]);
  assert.match(faults.join('\n'), /replicas/);
  assert.match(faults.join('\n'), /livenessProb/);
  assert.match(faults.join('\n'), 'apps/v1 has no StatfulSet');
});

test('the services, the budget, and the set select the pods', () => {
  const { labels } = pod.metadata;
  assert.equal(set['spec'].selector.matchLabels, labels);
  assert.equal(only('PodDisruptionBudget')['spec'].selector.matchLabels, labels);
  for (const name of ['zk', 'zk-headless'])
    assert.equal(only('Service', name)['spec'].selector, labels);
  assert.is(set['spec'].serviceName, 'zk-headless');
  assert.is(only('Service', 'zk-headless')['spec'].clusterIP, 'None');
  assert.is(only('Service', 'zk-headless')['spec'].publishNotReadyAddresses, true);
});

test('the ports of the services, the probes, and the server line are those of the container', () => {
  const ports = new Map(
    container.ports.map((port: Manifest) => [port['name'], port['containerPort']]),
  );
  for (const name of ['zk', 'zk-headless']) {
    for (const { port, targetPort } of only('Service', name)['spec'].ports) {
      assert.is(ports.get(targetPort), port);
    }
  }
  for (const probe of ['startupProbe', 'livenessProbe']) {
    assert.ok(ports.has(container[probe].tcpSocket.port), probe);
  }
  assert.is(
    envOf('SERVER_TEMPLATE'),
    `zk-{ordinal}.zk-headless.$(NAMESPACE).svc.cluster.local:${ports.get('quorum')}:${ports.get('election')};${ports.get('client')}`,
  );
});

function envOf(name: string): unknown {
  return container.env.find((one: Manifest) => one['name'] === name)?.value;
}

test('the pod may read its own set, and no more', () => {
  assert.is(pod.spec.serviceAccountName, only('ServiceAccount')['metadata'].name);
  assert.equal(only('Role')['rules'], [
    { apiGroups: ['apps'], resources: ['statefulsets'], resourceNames: ['zk'], verbs: ['get'] },
  ]);
  assert.match(
    String(envOf('STATEFULSET')),
    /^\/apis\/apps\/v1\/namespaces\/.*\/statefulsets\/zk$/,
  );
  const binding = only('RoleBinding');
  assert.is(binding['roleRef'].name, 'zk');
  assert.equal(binding['subjects'], [{ kind: 'ServiceAccount', name: 'zk' }]);
});

test('the pod has each variable that the member script reads, before one that refers to it', () => {
  const script = readFileSync('deploy/kubernetes/member.mjs', 'utf8');
  const needed = [...script.matchAll(/required\('(\w+)'\)/g)].map(([, name]) => name);
  const names: string[] = container.env.map((one: Manifest) => one['name']);
  assert.ok(needed.length >= 5);
  for (const name of needed) assert.ok(names.includes(name ?? ''), name);
  for (const [at, { value = '' }] of container.env.entries()) {
    for (const [, name = ''] of String(value).matchAll(/\$\((\w+)\)/g)) {
      assert.ok(names.slice(0, at).includes(name), name);
    }
  }
});

test('the pod runs without rights, on a file system that it cannot write', () => {
  assert.is(pod.spec.securityContext.runAsNonRoot, true);
  assert.is(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(container.securityContext.capabilities, { drop: ['ALL'] });
  const volumes = [
    ...pod.spec.volumes,
    ...set['spec'].volumeClaimTemplates.map((c: Manifest) => c['metadata']),
  ];
  for (const { name, mountPath } of container.volumeMounts) {
    assert.ok(
      volumes.some((volume: Manifest) => volume['name'] === name),
      name,
    );
    assert.match(mountPath, /^\/(data|tmp)$/);
  }
  for (const name of ['ZOO_CONF_DIR', 'ZOO_DATA_LOG_DIR'])
    assert.match(String(envOf(name)), /^\/data\//);
});

test('a member has time to leave before the pod is killed', () => {
  const leave = Number(envOf('LEAVE_SECONDS'));
  assert.ok(pod.spec.terminationGracePeriodSeconds >= leave + 30);
  assert.is(set['spec'].podManagementPolicy, 'Parallel');
  assert.is(envOf('INITIAL_SIZE'), String(set['spec'].replicas));
});

test.run();
