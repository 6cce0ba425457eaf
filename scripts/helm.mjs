// Writes the template of deploy/helm from deploy/kubernetes/zookeeper.yaml: `npm run helm`. The
// manifest stays the only source. Each change below must match, so no rename passes unnoticed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(root, 'deploy/kubernetes/zookeeper.yaml');
const TARGET = join(root, 'deploy/helm/templates/zookeeper.yaml');
const NAME = '{{ .Release.Name }}';

/** Quotes keep braces of YAML and of templates apart. */
const CHANGES = [
  [/\{app: zk\}/g, `{app: "${NAME}"}`],
  [/\bname: zk(-headless)?$/gm, `name: "${NAME}$1"`],
  [/\bname: zk-super\b/g, 'name: "{{ .Values.superSecret }}"'],
  [/resourceNames: \[zk\]/g, `resourceNames: ["${NAME}"]`],
  [/serviceName: zk-headless/g, `serviceName: "${NAME}-headless"`],
  [/serviceAccountName: zk$/gm, `serviceAccountName: "${NAME}"`],
  [/value: zk-(\{ordinal\})\.zk-headless\.(.*)$/gm, `value: "${NAME}-$1.${NAME}-headless.$2"`],
  [/value: (\/apis\/.*\/statefulsets\/)zk$/gm, `value: "$1${NAME}"`],
  [/value: zk:2181/g, `value: "${NAME}:2181"`],
  [/replicas: 3$/gm, 'replicas: {{ .Values.replicas }}'],
  [/value: '3'$/gm, "value: '{{ .Values.initialSize }}'"],
  [/image: zksh:\S+/g, 'image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"'],
  [/imagePullPolicy: \w+/g, 'imagePullPolicy: {{ .Values.image.pullPolicy }}'],
  [/value: (ruok,\S+)$/gm, 'value: "{{ .Values.whitelist }}"'],
  [/value: (quorumListenOnAllIPs=true .*)$/gm, 'value: "{{ .Values.config }}"'],
  [
    /resources:\n +requests: (\{.*\})\n +limits: (\{.*\})$/gm,
    'resources: {{ .Values.resources | toJson }}',
  ],
  [/storage: 10Gi/g, 'storage: {{ .Values.storage }}'],
];

/** @throws Error for a change that matches nothing */
export function templateFrom(manifest) {
  const start = manifest.indexOf('apiVersion:');
  const head =
    '# Written by scripts/helm.mjs (npm run helm) from deploy/kubernetes/zookeeper.yaml.\n';
  let text = head + manifest.slice(start);
  for (const [pattern, replacement] of CHANGES) {
    const changed = text.replace(pattern, replacement);
    if (changed === text) throw new Error(`scripts/helm.mjs: nothing matches ${pattern}`);
    text = changed;
  }
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, templateFrom(readFileSync(SOURCE, 'utf8')));
  console.log('wrote deploy/helm/templates/zookeeper.yaml');
}
