import assert from "node:assert/strict";
import { test } from "node:test";
import type { Installation } from "../../installation/installation.ts";
import type { Invocation } from "../command.ts";
import type { Waited } from "../wait-for.ts";
import { reached } from "./rolled-back.ts";

const installation = (state: Installation["state"], version = "1.0.0"): Installation => ({
  api: "v1",
  reference: "ext/op",
  name: "op",
  packageName: "op",
  version,
  state,
  why: "no Role",
});

/** The exit code, the result, and what is written beside it. */
function ending(waited: Waited): readonly unknown[] {
  const errors: string[] = [];
  const terminal = {
    symbol: (name: string) => name,
    paint: (_: string, text: string) => text,
    err: (...lines: readonly string[]) => errors.push(...lines),
  };
  const outcome = reached({ terminal } as unknown as Invocation, waited, "ext/op", "1.0.0", "purser set ext/op");
  return [outcome.exitCode, outcome.human ?? "", errors];
}

const there = "ok ext/op is at 1.0.0 again and stays there; to follow its catalog: purser set ext/op";
const wrong = (state: string): readonly string[] => [
  `failed ext/op is ${state}: no Role`,
  "  do    purser explain ext/op",
];
for (const [what, waited, expected] of [
  ["is ready at the version", { kind: "settled", installation: installation("Ready") }, [0, there, []]],
  ["is held at the version", { kind: "settled", installation: installation("Held") }, [0, there, []]],
  ["waits for the next approval", { kind: "settled", installation: installation("Approve") }, [0, there, []]],
  ["failed", { kind: "settled", installation: installation("Failed") }, [1, "", wrong("Failed")]],
  ["is blocked", { kind: "settled", installation: installation("Blocked") }, [1, "", wrong("Blocked")]],
  [
    "is ready at another version",
    { kind: "settled", installation: installation("Ready", "2.0.0") },
    [1, "", wrong("Ready")],
  ],
  ["is deleted", { kind: "deleted" }, [1, "ext/op was deleted meanwhile", []]],
  [
    "takes longer",
    { kind: "timeout", last: undefined },
    [8, "", ["attention ext/op is not at 1.0.0 yet; the rollback continues in the cluster. purser status ext/op"]],
  ],
] as const)
  test(`a rollback of what ${what} ends with exit code ${expected[0]}`, () =>
    assert.deepEqual(ending(waited), expected));
