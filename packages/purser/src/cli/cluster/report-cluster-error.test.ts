import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { statusOf } from "@purser/kubernetes/apis/status";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import { reportClusterError } from "./report-cluster-error.ts";

test("a cluster without the definitions is answered with a directory that kubectl can apply", () => {
  const lines: string[] = [];
  const terminal: Terminal = {
    isInteractive: false,
    env: {},
    show: () => assert.fail("an error goes to standard error"),
    out: () => assert.fail("an error goes to standard error"),
    write: () => assert.fail("an error goes to standard error"),
    err: (text) => void lines.push(text),
    paint: (_, text) => text,
    symbol: () => "x",
    ask: () => Promise.resolve(undefined),
    progress: () => undefined,
  };
  const refused = new ApiRefusedError({ kind: "notFound", status: statusOf("NotFound", "no such kind") });
  assert.equal(reportClusterError(terminal, refused), exitCodes.notFound);
  const [, folder = ""] = /^ {2}or {4}kubectl apply -f (.+)$/m.exec(lines.join("\n")) ?? [];
  assert.ok(readdirSync(folder).includes("operators.coreos.com_subscriptions.yaml"), lines.join("\n"));
});
