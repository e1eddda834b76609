import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterUnreachableError } from "@purser/kubernetes/kube/http-transport";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { type Invocation, UsageError } from "../command.ts";
import { withAccessFlags, withRequestTimeout } from "./access-flags.ts";

const invocation = (options: Invocation["options"]): Invocation =>
  ({ arguments: [], options, signal: new AbortController().signal }) as unknown as Invocation;
const access = { server: "https://example.com", authority: { kind: "inline", pem: "A" } } as const;

for (const [words, options, expected] of [
  ["nothing changes without flags", {}, access],
  [
    "--as with groups and uid impersonates",
    { as: "ana", "as-group": ["dev", "ops"], "as-uid": "7" },
    { ...access, impersonate: { name: "ana", groups: ["dev", "ops"], extra: {}, uid: "7" } },
  ],
  [
    "an unchecked certificate has no authority",
    { "insecure-skip-tls-verify": true },
    { server: "https://example.com", insecureSkipTlsVerify: true },
  ],
  ["--tls-server-name is the name that is expected", { "tls-server-name": "x" }, { ...access, tlsServerName: "x" }],
] as const)
  test(words, () => assert.deepEqual(withAccessFlags(invocation(options), access), expected));

test("a group without a user is refused", () => {
  assert.throws(() => withAccessFlags(invocation({ "as-group": ["dev"] }), access), UsageError);
});

/** Answers when the request is aborted. As an open connection does, it keeps the process running. */
const silent: Transport = (_request, signal) =>
  new Promise((_resolve, reject) => {
    const open = setInterval(() => {}, 1000);
    signal.addEventListener("abort", () => {
      clearInterval(open);
      reject(signal.reason as Error);
    });
  });

test("a request that takes longer than --request-timeout fails as unreachable, with the limit as the cause", async () => {
  const transport = withRequestTimeout(invocation({ "request-timeout": "20ms" }), silent);
  await assert.rejects(
    transport({ method: "GET", path: "/api" }, new AbortController().signal),
    (error) => error instanceof ClusterUnreachableError && /no answer within 20ms/.test(error.message),
  );
});

test("a watch and --request-timeout=0 have no limit", async () => {
  const query = new URLSearchParams({ watch: "true" });
  for (const [timeout, request] of [
    ["20ms", { method: "GET", path: "/api", query }],
    ["0", { method: "GET", path: "/api" }],
  ] as const) {
    const stop = new AbortController();
    const answer = withRequestTimeout(invocation({ "request-timeout": timeout }), silent)(request, stop.signal);
    setTimeout(() => stop.abort(new Error("stopped")), 60);
    await assert.rejects(answer, /stopped/);
  }
});
