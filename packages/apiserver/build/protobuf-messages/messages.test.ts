import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pinnedVersion, protobufMessages } from "./messages.ts";

const modules = join(process.env["GOPATH"] ?? join(homedir(), "go"), "pkg/mod");
const isThere = existsSync(join(modules, `k8s.io/kube-aggregator@${pinnedVersion}`));
const skip = isThere ? false : `the Go modules of Kubernetes ${pinnedVersion} are not in ${modules}`;

test("the table of protobuf messages is what its generator writes", { skip }, () => {
  const written = readFileSync(resolve(import.meta.dirname, "../../src/protobuf/messages.gen.ts"), "utf8");
  // No diff: the remedy is to run the generator.
  const message = `run node packages/apiserver/build/protobuf-messages/main.ts ${modules}`;
  assert.ok(written === protobufMessages(modules, pinnedVersion), message);
});
