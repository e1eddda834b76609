import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Invocation } from "../command.ts";
import { systemTerminal, terminalModes } from "../output/terminal.ts";
import { asInstall } from "./install-remedies.ts";

const wanted = { packageName: "etcd", version: "1.0.0", reference: "sub/data/etcd", name: "etcd" };

/** The commands of the remedies that the refusal of an installation gets; without one its summary in brackets. */
function commandsOf(commands: readonly (string | undefined)[], options: Invocation["options"] = {}): readonly string[] {
  const remedies = commands.map((command, at) => ({ summary: `${at}`, ...(command === undefined ? {} : { command }) }));
  const invocation: Invocation = {
    arguments: ["etcd"],
    options,
    terminal: systemTerminal(terminalModes({}, {})),
    signal: new AbortController().signal,
  };
  const explanation = { code: "VersionNotFound", summary: "s", facts: {}, derivation: [], remedies } as const;
  const { remedies: given, ...rest } = asInstall(explanation, invocation, wanted);
  assert.deepEqual(rest, { code: "VersionNotFound", summary: "s", facts: {}, derivation: [] });
  return given.map(({ summary, command }) => command ?? `[${summary}]`);
}

const cases: readonly (readonly [
  what: string,
  command: string | undefined,
  options: Invocation["options"],
  expected: readonly string[],
])[] = [
  ["a remedy without a command stays", undefined, {}, ["[0]"]],
  ["a command about something else stays", "kubectl get pods", {}, ["kubectl get pods"]],
  ["what reads the installation is left out, because it does not exist", "purser explain sub/data/etcd", {}, []],
  ["what kubectl deletes of it is left out", "kubectl delete subscription etcd -n data", {}, []],
  ["what kubectl changes of it remains as text", "kubectl edit subscription etcd -n data", {}, ["[0]"]],
  [
    "another package goes to the same place, without the choices of this one",
    "purser install redis",
    { namespace: "data dir", name: "x", channel: ["a"], "as-extension": true, hold: true },
    ["purser install redis -n 'data dir' --name x --as-extension --hold"],
  ],
  [
    "another version of it keeps channels, labels and values too",
    "purser install etcd@2.0.0",
    { channel: ["a", "b"], "from-source": "olm/demo", label: ["a=b"], set: ["c=d"], values: ["f.yaml"] },
    ["purser install etcd@2.0.0 --channel a --channel b --from-source olm/demo --label a=b --set c=d --values f.yaml"],
  ],
  [
    "a quoted target is the same package",
    "purser install 'etcd@>=1 <2'",
    { channel: ["a"] },
    ["purser install 'etcd@>=1 <2' --channel a"],
  ],
  [
    "what the remedy names itself is not repeated",
    "purser install etcd --channel c -n own --tier cluster",
    { channel: ["a"], namespace: "data", tier: "namespace", approval: "Manual" },
    ["purser install etcd --channel c -n own --tier cluster --approval Manual"],
  ],
  [
    "the family that the remedy names goes before the one that was asked for",
    "purser install etcd --as-extension",
    { "as-subscription": true, "create-namespace": true },
    ["purser install etcd --as-extension --create-namespace"],
  ],
  [
    "the family that was asked for is kept",
    "purser install etcd",
    { "as-subscription": true },
    ["purser install etcd --as-subscription"],
  ],
  [
    "a change of the channel becomes an installation from it",
    "purser set sub/data/etcd --channel b",
    { channel: ["a"], namespace: "data" },
    ["purser install etcd@1.0.0 --channel b -n data"],
  ],
  [
    "a change to any channel and version becomes an installation without them",
    "purser set sub/data/etcd --channel any --version any",
    { channel: ["a"] },
    ["purser install etcd"],
  ],
  [
    "a change of version and catalog becomes an installation of it",
    "purser set sub/data/etcd --version 3.0.0 --catalog olm/other",
    { "from-source": "olm/demo" },
    ["purser install etcd@3.0.0 --from-source olm/other"],
  ],
  [
    "a change of the constraint policy becomes the flag of the installation",
    "purser set sub/data/etcd --upgrade-constraint-policy SelfCertified",
    {},
    ["purser install etcd@1.0.0 --upgrade-constraint-policy SelfCertified"],
  ],
  [
    "a change that an installation has no flag for remains as text",
    "purser set sub/data/etcd --approval Manual",
    {},
    ["[0]"],
  ],
  [
    "a change of another installation stays",
    "purser set sub/data/redis --channel b",
    {},
    ["purser set sub/data/redis --channel b"],
  ],
];
for (const [what, command, options, expected] of cases)
  test(what, () => assert.deepEqual(commandsOf([command], options), expected));

test("without a version a change of the channel names none", () =>
  assert.deepEqual(commandsOf(["purser set sub/data/etcd --version any --channel b"]), [
    "purser install etcd --channel b",
  ]));

test("remedies keep their order", () =>
  assert.deepEqual(commandsOf([undefined, "purser status sub/data/etcd", "purser list"]), ["[0]", "purser list"]));

test("what a patch sets in the configuration is given to the installation, in place of what was given for the same key", () => {
  const invocation: Invocation = {
    arguments: ["etcd"],
    options: { namespace: "data", set: ["watchNamespace=x", "a=b"], "as-extension": true },
    terminal: systemTerminal(terminalModes({}, {})),
    signal: new AbortController().signal,
  };
  const commandFor = (patch: JsonValue): string | undefined => {
    const remedies = [{ summary: "s", command: "kubectl patch clusterextensions etcd -p TEXT", patch }];
    const explanation = { code: "ConfigurationInvalid", summary: "s", facts: {}, derivation: [], remedies } as const;
    const [first] = asInstall(explanation, invocation, { ...wanted, version: undefined }).remedies;
    return first?.command;
  };
  const inline = (value: JsonValue): JsonValue => ({ spec: { config: { configType: "Inline", inline: value } } });
  assert.equal(
    commandFor(inline({ watchNamespace: "data dir" })),
    "purser install etcd --set 'watchNamespace=data dir' -n data --set a=b --as-extension",
  );
  // No flag takes a value away.
  assert.equal(commandFor(inline({ watchNamespace: null })), undefined);
  assert.equal(commandFor({ spec: { config: null } }), undefined);
  assert.equal(commandFor({ spec: { version: "1.0.0" } }), undefined);
});
