// Rules about a ClusterServiceVersion that need nothing but it and its groups, each with its border.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type {
  ClusterServiceVersion,
  InstallMode,
  WebhookDescription,
} from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { improved, parseCompat } from "../../../../compat.ts";
import { rememberedVersion } from "../remembered-version.ts";
import { duplicateModes, parseTargetNamespaces, supportsTargets } from "./install-mode.ts";
import {
  decideProvidedApis,
  formatProvidedApis,
  groupSurface,
  intersectingGroups,
  parseProvidedApis,
  providedApis,
} from "./provided-api.ts";
import { webhookProblem } from "./webhook-rule.ts";

const modes = (...types: readonly string[]): readonly InstallMode[] =>
  ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map(
    (type) => ({ type, supported: types.includes(type) }) as InstallMode,
  );

test("an operator may watch what its install modes support", () => {
  const all = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
  const rows: readonly (readonly [targets: readonly string[], needed: readonly string[], problem: string])[] = [
    [[], [], "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces"],
    [[""], ["AllNamespaces"], "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces"],
    [["own"], ["OwnNamespace"], "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"],
    [
      ["a"],
      ["SingleNamespace"],
      "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace",
    ],
    [
      ["a", "b"],
      ["MultiNamespace"],
      "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces",
    ],
    [
      ["a", "b", "c"],
      ["MultiNamespace"],
      "MultiNamespace InstallModeType not supported, cannot configure to watch 3 namespaces",
    ],
  ];
  const problemOf = (types: readonly string[], targets: readonly string[]) => {
    const found = supportsTargets(modes(...types), "own", targets);
    return found.ok ? undefined : found.problem;
  };
  for (const [targets, needed, problem] of rows) {
    assert.equal(
      problemOf(
        all.filter((type) => !needed.includes(type)),
        targets,
      ),
      problem,
      targets.join(),
    );
    if (needed.length > 0) assert.equal(problemOf(needed, targets), undefined, targets.join());
  }
  assert.equal(
    problemOf(["MultiNamespace"], ["a", "own"]),
    "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace",
  );
  assert.equal(problemOf(["MultiNamespace", "OwnNamespace"], ["a", "own"]), undefined);
  assert.equal(
    problemOf(all, ["a", ""]),
    "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1",
  );
  assert.deepEqual(["", "a", "a,b"].map(parseTargetNamespaces), [[""], ["a"], ["a", "b"]]);
  assert.equal(duplicateModes(modes("OwnNamespace")), undefined);
  const [own] = modes("OwnNamespace");
  assert.ok(own !== undefined);
  assert.equal(
    duplicateModes([own, { ...own, supported: false }]),
    "InstallMode list contains duplicates, cannot make set: [{OwnNamespace true} {OwnNamespace false}]",
  );
});

const group = (
  name: string,
  namespace: string,
  targets: readonly string[] | undefined,
  provided?: string,
): OperatorGroup =>
  ({
    metadata: { name, namespace, ...(provided === undefined ? {} : { annotations: { "olm.providedAPIs": provided } }) },
    ...(targets === undefined ? {} : { status: { namespaces: targets } }),
  }) as unknown as OperatorGroup;

test("provided APIs are read, written and weighed against those of all groups whose namespaces meet", () => {
  const csv = {
    spec: {
      customresourcedefinitions: {
        owned: [
          { name: "pots.kiln.io", version: "v1", kind: "Pot" },
          { name: "as.kiln.io", version: "v1", kind: "A" },
          { name: "pots.kiln.io", version: "v1", kind: "Pot" },
        ],
      },
      apiservicedefinitions: { owned: [{ group: "b.io", version: "v2", kind: "B" }] },
    },
  } as unknown as ClusterServiceVersion;
  assert.deepEqual(providedApis(csv), ["A.v1.kiln.io", "B.v2.b.io", "Pot.v1.kiln.io"]);
  assert.deepEqual(providedApis({ spec: {} } as ClusterServiceVersion), []);
  assert.deepEqual(parseProvidedApis(undefined), []);
  assert.deepEqual(parseProvidedApis("Pot.v1.kiln.io, A.v1,B.v1.b"), ["Pot.v1.kiln.io", "B.v1.b"]);
  assert.equal(formatProvidedApis(["b", "a", "b"]), "a,b");
  const surfaces: readonly (readonly [targets: readonly string[] | undefined, surface: readonly string[]])[] = [
    [undefined, []],
    [[], []],
    [[""], [""]],
    [["a"], ["a", "ns"]],
    [
      ["a", "ns"],
      ["a", "ns"],
    ],
  ];
  for (const [targets, surface] of surfaces) assert.deepEqual(groupSurface(group("g", "ns", targets)), surface);
  const own = group("g", "ns", ["a"], "Pot.v1.kiln.io");
  const others = [
    own,
    group("g", "other", ["a"]),
    group("h", "ns", ["b"]),
    group("i", "far", ["c"]),
    group("j", "x", [""]),
  ];
  assert.deepEqual(
    intersectingGroups(own, others).map(({ metadata }) => metadata.name),
    ["g", "h", "j"],
  );
  const decided = (listed: string, elsewhere: string) =>
    decideProvidedApis(["Pot.v1.kiln.io", "A.v1.kiln.io"], group("g", "ns", ["a"], listed), [
      group("g", "ns", ["a"], listed),
      group("h", "z", ["a"], elsewhere),
      group("far", "y", ["q"], "Pot.v1.kiln.io"),
    ]);
  const both = "A.v1.kiln.io,Pot.v1.kiln.io";
  assert.deepEqual(
    [
      decided("", ""),
      decided("A.v1.kiln.io", ""),
      decided(both, ""),
      decided("", "A.v1.kiln.io"),
      decided(both, "A.v1.kiln.io"),
    ],
    ["add", "add", "none", "conflict", "remove"],
  );
});

test("webhooks of a CSV have different names and rules that leave OLM and other webhooks alone", () => {
  const webhook = (
    generateName: string,
    apiGroups?: readonly string[],
    resources?: readonly string[],
  ): WebhookDescription =>
    ({
      generateName,
      ...(apiGroups === undefined ? {} : { rules: [{}, { apiGroups, resources }] }),
    }) as unknown as WebhookDescription;
  const admission = "admissionregistration.k8s.io";
  const others =
    "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources";
  const rows: readonly (readonly [webhooks: readonly WebhookDescription[], problem: string | undefined])[] = [
    [[], undefined],
    [[webhook("a"), webhook("b", ["", "apps"], ["*"])], undefined],
    [[webhook("a"), webhook("b"), webhook("a")], "CSV contains repeated WebhookDescription name"],
    [[webhook("a"), webhook("b", ["apps", "*"])], "webhook rules cannot include all groups"],
    [[webhook("a", ["operators.coreos.com"])], "webhook rules cannot include the OLM group"],
    [[webhook("a", [admission], ["pods"])], undefined],
    [[webhook("a", [admission], ["pods", "*"])], others],
    [[webhook("a", [admission], ["MutatingWebhookConfiguration"])], others],
    [[webhook("a", [admission], ["ValidatingWebhookConfiguration"])], others],
    [[webhook("a", [admission], ["mutatingwebhookconfigurations"])], others],
    [[webhook("a", [admission], ["validatingwebhookconfigurations"])], others],
    [[webhook("a", ["operators.coreos.com"]), webhook("a")], "webhook rules cannot include the OLM group"],
  ];
  for (const [webhooks, problem] of rows)
    assert.equal(webhookProblem(webhooks, improved), problem, JSON.stringify(webhooks));
  const compat = parseCompat("webhook-rules");
  assert.ok(compat.ok);
  assert.equal(webhookProblem([webhook("a", [admission], ["mutatingwebhookconfigurations"])], compat.value), undefined);
  assert.equal(webhookProblem([webhook("a", [admission], ["*"])], compat.value), others);
});

test("the API server's version is asked for again after ten minutes", async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const client = rememberedVersion({ version: async () => `v1.${asked++}` as never }, clock);
  const version = () => client.version(new AbortController().signal);
  assert.deepEqual([await version(), await version()], ["v1.0", "v1.0"]);
  clock.advance(599_999);
  assert.equal(await version(), "v1.0");
  clock.advance(1);
  assert.deepEqual([await version(), await version()], ["v1.1", "v1.1"]);
});
