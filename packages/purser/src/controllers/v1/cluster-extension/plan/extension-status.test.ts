import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import { extensionStatus, standardStatus } from "./extension-status.ts";

const time = "2026-01-01T00:00:00Z";

const revisionOf = (name: string, conditions?: readonly object[], release?: string): ClusterObjectSet =>
  ({
    metadata: {
      name,
      annotations: {
        "olm.operatorframework.io/bundle-name": `${name}.bundle`,
        "olm.operatorframework.io/bundle-version": "1.0.0",
        "olm.operatorframework.io/bundle-reference": `image/${name}`,
        ...(release === undefined ? {} : { "olm.operatorframework.io/bundle-release": release }),
      },
    },
    spec: { revision: 1 },
    ...(conditions === undefined ? {} : { status: { conditions } }),
  }) as unknown as ClusterObjectSet;
const condition = (type: string, status: string, reason: string, message = "m") => ({ type, status, reason, message });

interface Shown {
  readonly installed?: ClusterObjectSet;
  readonly rollingOut?: readonly ClusterObjectSet[];
  readonly shown?: object;
  readonly held?: readonly object[];
  readonly generation?: number;
}

function statusOf({ installed, rollingOut = [], shown = {}, held, generation = 4 }: Shown) {
  const extension = {
    metadata: { name: "ext", generation },
    ...(held === undefined ? {} : { status: { conditions: held } }),
  } as unknown as ClusterExtension;
  return extensionStatus(
    extension,
    { installed, rollingOut } as never,
    { progressing: undefined, deprecation: [], missing: "unknown", ...shown } as never,
    time,
  );
}
/** `TYPE STATUS REASON: message` of each condition. */
const texts = (given: Shown): readonly string[] =>
  (statusOf(given).conditions ?? []).map((one) => {
    assert.deepEqual([one.observedGeneration, one.lastTransitionTime], [4, time], one.type);
    return `${one.type} ${one.status} ${one.reason}: ${one.message}`;
  });

const installed = revisionOf("a", [
  condition("Progressing", "True", "Succeeded"),
  condition("Available", "True", "ProbesSucceeded"),
  condition("Other", "True", "x"),
]);
const newer = (reason: string) =>
  revisionOf("b", [
    condition("Progressing", "True", reason),
    condition("Available", "False", "ProbeFailure"),
    condition("Other", "True", "x"),
  ]);

test("Installed, Progressing and Available show the revisions", () => {
  const success = "Installed True Succeeded: Installed bundle image/a successfully";
  assert.deepEqual(
    [
      texts({}),
      texts({ installed }),
      texts({ installed, rollingOut: [newer("RollingOut")] }),
      texts({ rollingOut: [newer("RollingOut")] }),
      texts({ rollingOut: [newer("RollingOut"), newer("Retrying")] }),
      texts({ rollingOut: [revisionOf("c")] }),
    ],
    [
      ["Installed False Failed: No bundle installed"],
      [success, "Progressing True Succeeded: Desired state reached", "Available True ProbesSucceeded: m"],
      [success, "Progressing True RollingOut: m", "Available True ProbesSucceeded: m"],
      [
        "Installed False Absent: No bundle installed",
        "Progressing True RollingOut: m",
        "Available False ProbeFailure: m",
      ],
      [
        "Installed False Failed: No bundle installed",
        "Progressing True Retrying: m",
        "Available False ProbeFailure: m",
      ],
      ["Installed False Absent: No bundle installed"],
    ],
  );
});

test("the installed bundle and the active revisions are fields, conditions only of those that roll out", () => {
  const release = revisionOf("a", [], "2");
  const conditions = [condition("Progressing", "True", "RollingOut"), condition("Available", "False", "ProbeFailure")];
  const bundle = { name: "a.bundle", version: "1.0.0" };
  const fields = (given: Shown) => {
    const { conditions: _conditions, ...rest } = statusOf(given);
    return rest;
  };
  assert.deepEqual(fields({}), {});
  assert.deepEqual(fields({ installed, rollingOut: [newer("RollingOut"), revisionOf("c")] }), {
    install: { bundle },
    activeRevisions: [{ name: "a" }, { name: "b", conditions }, { name: "c", conditions: [] }],
  });
  assert.deepEqual(fields({ installed: release }), {
    install: { bundle: { ...bundle, release: "2" } },
    activeRevisions: [{ name: "a" }],
  });
  assert.deepEqual(fields({ installed: revisionOf("a", [], "") }), {
    install: { bundle: { ...bundle, release: "" } },
    activeRevisions: [{ name: "a" }],
  });
  assert.deepEqual(fields({ installed, shown: { unreadable: "why" } }), { activeRevisions: [{ name: "a" }] });
  const { conditions: _conditions, ...standard } = standardStatus(statusOf({ installed: release }));
  assert.deepEqual(standard, { install: { bundle } });
  const { conditions: _others, ...empty } = standardStatus(statusOf({}));
  assert.deepEqual(empty, {});
});

test("what is reported wins over the revisions; a terminal fault leaves Installed, and an unreadable state is unknown", () => {
  const progressing = condition("Progressing", "True", "Retrying", "later");
  const terminal = condition("Progressing", "False", "Blocked", "never");
  const old = { ...condition("Installed", "True", "Old", "before"), observedGeneration: 4, lastTransitionTime: time };
  const available = "Available True ProbesSucceeded: m";
  assert.deepEqual(
    [
      texts({ installed, shown: { progressing } }).slice(1),
      texts({ installed, shown: { progressing: terminal }, held: [old] }),
      texts({ installed, shown: { unreadable: "why" } })[0],
      texts({ shown: { deprecation: [condition("Deprecated", "True", "Deprecated")] } })[1],
    ],
    [
      ["Progressing True Retrying: later", available],
      ["Installed True Old: before", "Progressing False Blocked: never", available],
      "Installed Unknown Failed: why",
      "Deprecated True Deprecated: m",
    ],
  );
});

test("catalogs that were left out are named; known to be none the condition is removed, else it stays", () => {
  const held = [
    {
      ...condition("CatalogsMissing", "True", "CatalogUnavailable", "before"),
      observedGeneration: 4,
      lastTransitionTime: time,
    },
  ];
  const last = (missing: unknown, before: readonly object[] = held) =>
    texts({ held: before, shown: { missing } }).filter((text) => text.startsWith("Catalogs"));
  assert.deepEqual(
    [
      last("unknown"),
      last([]),
      last(
        [
          { name: "a", cause: "why" },
          { name: "b", cause: "" },
        ],
        [],
      ),
    ],
    [
      ["CatalogsMissing True CatalogUnavailable: before"],
      [],
      [
        "CatalogsMissing True CatalogUnavailable: Resolved without catalogs that cannot be read: ClusterCatalog a: why; ClusterCatalog b",
      ],
    ],
  );
});

test("messages have at most 32768 characters and no addresses of connections", () => {
  const message = (text: string): string =>
    statusOf({ shown: { progressing: condition("Progressing", "True", "Retrying", text) } }).conditions?.find(
      ({ type }) => type === "Progressing",
    )?.message ?? "";
  const mark = "\n\n... [message truncated]";
  assert.deepEqual(
    [message("x".repeat(32_768)), message("x".repeat(32_769))],
    ["x".repeat(32_768), `${"x".repeat(32_768 - mark.length)}${mark}`],
  );
  assert.equal(
    message("a: read tcp 1.2.3.4:5->6.7.8.9:10: reset; write udp [::1]:1->[::1]:2: refused"),
    "a: reset; refused",
  );
});
