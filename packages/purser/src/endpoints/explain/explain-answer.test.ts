import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Installation } from "../../installation/installation.ts";
import type { AskedAccess } from "../callers/access-reviews.ts";
import { answerExplain, isExplainPath } from "./explain-answer.ts";
import type { ExplainedDecision, ExplainPort } from "./explain-port.ts";

const never = new AbortController().signal;
const v0 = { api: "v0", packageName: "p", why: "" } as const;
const installations: readonly Installation[] = [
  { api: "v1", packageName: "p", reference: "ext/wide", name: "wide", state: "Ready", why: "" },
  { ...v0, reference: "sub/a/one", namespace: "a", name: "one", state: "Blocked", why: "there is no package p" },
  { ...v0, reference: "csv/a/left.v1", namespace: "a", name: "left.v1", state: "Orphan", why: "" },
  { ...v0, reference: "sub/b/two", namespace: "b", name: "two", state: "Ready", why: "" },
];
const group = (namespace: string, name: string, targets: readonly string[]) => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace, name },
  spec: { serviceAccountName: "installer" },
  status: { namespaces: targets, lastUpdated: "" },
});
const csv = (namespace: string, name: string) =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name },
    spec: {
      version: "1.0.0",
      customresourcedefinitions: { owned: [{ name: "things.x.io", kind: "Thing", version: "v1" }] },
    },
  }) as never;
const extension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "wide" },
  status: { install: { bundle: { name: "wide.v2", version: "2.0.0" } } },
} as never;
const port: ExplainPort = {
  installations: () => Promise.resolve(installations),
  explain: ({ reference }) =>
    Promise.resolve<ExplainedDecision>(
      reference === "sub/a/one"
        ? {
            outcome: "unsatisfiable",
            chosen: [],
            explanation: {
              code: "PackageNotFound",
              summary: "no catalog has package p",
              facts: { wanted: "p" },
              derivation: [{ relation: "requested", subject: "a/one", text: "a/one requests p" }],
              remedies: [{ summary: "name another package", command: "purser search p" }],
            },
          }
        : { outcome: "resolved", chosen: ["wide.v2 from demo, in place"] },
    ),
  tenancy: () =>
    Promise.resolve({
      csvs: [csv("a", "one.v1"), csv("all", "all.v1")],
      groups: [group("a", "one", ["a"]), group("a", "second", ["a"]), group("all", "all", [""])],
      extensions: [extension],
    }),
};

/** Rights as `VERB RESOURCE[ in NAMESPACE][ NAME]`. */
const rightOf = (asked: AskedAccess): string =>
  asked.kind === "path"
    ? asked.path
    : `${asked.verb} ${asked.resource}${asked.namespace === undefined ? "" : ` in ${asked.namespace}`}${asked.name === undefined ? "" : ` ${asked.name}`}`;

async function ask(target: string, rights: readonly string[] | "all", accept = ""): Promise<string> {
  const reviews = {
    allows: (_user: unknown, asked: AskedAccess) =>
      Promise.resolve(rights === "all" || rights.includes(rightOf(asked))),
  };
  const request = { target, accept, user: { name: "tina", groups: [] } };
  const { status, body } = await answerExplain(request, { port, reviews }, never);
  return `${status} ${body}`;
}

suite("the pages that explain", () => {
  test("list every installation for whom the cluster lets list all of them", async () => {
    assert.equal(
      await ask("/explain", "all"),
      [
        "200 ext/wide       Ready",
        "sub/a/one      Blocked  there is no package p",
        "csv/a/left.v1  Orphan",
        "sub/b/two      Ready",
        "",
      ].join("\n"),
    );
    assert.equal(await ask("/explain/?namespace=b", "all"), "200 sub/b/two  Ready\n");
  });

  const filtered: readonly (readonly [rights: readonly string[], lines: readonly string[]])[] = [
    [[], ["no installations that you may list"]],
    [["list subscriptions in b"], ["sub/b/two  Ready"]],
    [["list clusterserviceversions in a"], ["csv/a/left.v1  Orphan"]],
    [["list clusterextensions"], ["ext/wide  Ready"]],
    [["list subscriptions"], ["sub/a/one  Blocked  there is no package p", "sub/b/two  Ready"]],
    // A right to get says nothing about which there are.
    [["get subscriptions in b two"], ["no installations that you may list"]],
  ];
  for (const [rights, lines] of filtered)
    test(`list with ${rights.join() || "no right"} only ${lines.length === 0 ? "nothing" : lines.join(", ")}`, async () =>
      assert.equal(await ask("/explain", rights), `200 ${lines.join("\n")}\n`));

  test("show the whole explanation of an installation to whom may get it", async () => {
    assert.equal(
      await ask("/explain/sub/a/one", ["get subscriptions in a one"]),
      [
        "200 sub/a/one: Blocked: there is no package p",
        "no catalog has package p (PackageNotFound)",
        "└─ a/one requests p",
        "fix: name another package",
        "     purser search p",
        "",
      ].join("\n"),
    );
    assert.equal(
      await ask("/explain/ext/wide", ["get clusterextensions wide"]),
      "200 ext/wide: Ready\nthe choice itself is not refused:\n  wide.v2 from demo, in place\n",
    );
  });

  const refused: readonly (readonly [target: string, rights: readonly string[] | "all", answer: string])[] = [
    [
      "/explain/sub/a/one",
      ["list subscriptions in b"],
      '403 tina may not get subscriptions.operators.coreos.com "one" in namespace "a"\n',
    ],
    // Whether it exists is not shown to who may not get it.
    ["/explain/sub/a/none", [], '403 tina may not get subscriptions.operators.coreos.com "none" in namespace "a"\n'],
    ["/explain/ext/none", "all", "404 there is no installation ext/none\n"],
    ["/explain/%E0%A4%A", "all", "400 the path is not encoded correctly\n"],
    [
      "/tenancy/a",
      ["list subscriptions"],
      '403 you may list neither clusterserviceversions.operators.coreos.com in namespace "a" nor clusterextensions.olm.operatorframework.io\n',
    ],
  ];
  for (const [target, rights, answer] of refused)
    test(`GET ${target} with ${String(rights)} is answered with ${answer.slice(0, 3)}`, async () =>
      assert.equal(await ask(target, rights), answer));

  test("say which pages there are for a reference that is none", async () => {
    for (const target of ["/explain/pod/a/one", "/explain/sub/a", "/explain/ext/a/b", "/explain/sub/a/b/c", "/tenancy"])
      assert.match(await ask(target, "all"), /^404 the paths are \/explain/, target);
    assert.deepEqual(["/explain", "/explain?x", "/tenancy/a", "/explained", "/"].map(isExplainPath), [
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("are documents for who accepts JSON or asks for it", async () => {
    const list = JSON.parse((await ask("/explain?namespace=b&output=json", "all")).slice(4)) as object;
    assert.deepEqual(list, {
      apiVersion: "purser.dev/v1alpha1",
      kind: "InstallationList",
      items: [{ ...installations[3], explain: "/explain/sub/b/two" }],
    });
    const one = JSON.parse((await ask("/explain/ext/wide", "all", "application/json")).slice(4)) as object;
    assert.deepEqual(one, {
      apiVersion: "purser.dev/v1alpha1",
      kind: "InstallationExplanation",
      installation: installations[0],
      outcome: "resolved",
      chosen: ["wide.v2 from demo, in place"],
    });
  });

  const conflict = "conflict: namespace a has 2 OperatorGroups (one, second); operators in it need exactly one";
  const both = "conflict: Thing.x.io is provided by csv/a/one.v1 and csv/all/all.v1";
  const tenancies: readonly (readonly [rights: readonly string[] | "all", lines: readonly string[]])[] = [
    [
      "all",
      [
        "csv/a/one.v1  1.0.0  through OperatorGroup a/one  as ServiceAccount installer  provides Thing.x.io",
        "csv/all/all.v1  1.0.0  through OperatorGroup all/all  as ServiceAccount installer  provides Thing.x.io",
        "ext/wide  2.0.0  through all namespaces",
        conflict,
        both,
      ],
    ],
    [
      ["list clusterserviceversions in a", "list operatorgroups in a"],
      [
        "csv/a/one.v1  1.0.0  through OperatorGroup a/one  as ServiceAccount installer  provides Thing.x.io",
        "csv/all/all.v1  1.0.0  through OperatorGroup all/all  provides Thing.x.io",
        conflict,
        both,
      ],
    ],
    [
      ["list clusterserviceversions in a"],
      [
        "csv/a/one.v1  1.0.0  through OperatorGroup a/one  provides Thing.x.io",
        "csv/all/all.v1  1.0.0  through OperatorGroup all/all  provides Thing.x.io",
        both,
      ],
    ],
    [["list clusterextensions"], ["ext/wide  2.0.0  through all namespaces"]],
  ];
  for (const [rights, lines] of tenancies)
    test(`show who serves a namespace with ${String(rights)}`, async () =>
      assert.equal(await ask("/tenancy/a", rights), `200 ${lines.join("\n")}\n`));
});
