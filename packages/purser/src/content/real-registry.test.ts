// OLM's own registry server, where `opm` is on the PATH: it and our server must give the same catalog.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import { catalogAddress } from "./address/catalog-address.ts";
import { indexOf, serveIndex } from "./testing/registry-under-test.ts";
import { freePort } from "../image/testing/free-port.ts";

const never = new AbortController().signal;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const opm = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((directory) => join(directory, "opm"))
  .find(isExecutable);

const deprecations = `---
schema: olm.deprecations
package: a
entries:
- reference: {schema: olm.package}
  message: package a ends
- reference: {schema: olm.channel, name: stable}
  message: channel stable ends
- reference: {schema: olm.bundle, name: a.v1.0.0}
  message: 1.0.0 is old
`;
const requiring = `---
schema: olm.package
name: b
defaultChannel: one
---
schema: olm.channel
package: b
name: one
entries:
- {name: b.v2.0.0, skipRange: "<2.0.0", skips: [b.v1.9.0]}
---
schema: olm.channel
package: b
name: two
entries:
- {name: b.v2.0.0}
---
schema: olm.bundle
package: b
name: b.v2.0.0
image: example.com/b:v2
properties:
- {type: olm.package, value: {packageName: b, version: 2.0.0}}
- {type: olm.gvk.required, value: {group: a.example.com, kind: Thing, version: v1}}
- {type: olm.package.required, value: {packageName: a, versionRange: ">=1.0.0"}}
- {type: olm.constraint, value: {failureMessage: no, cel: {rule: "true"}}}
- {type: olm.maxOpenShiftVersion, value: "4.20"}
`;
const text = smallCatalog("a", ["1.0.0", "1.1.0"], deprecations + requiring);

/** The catalog as the server gives it; asked until it listens. */
async function read(address: string, indexes: string, isUp: () => boolean): Promise<StoredIndex> {
  const reader = catalogAddress({ address, indexes, clock: systemClock, environment: {} });
  try {
    for (;;) {
      const look = await reader.look({ mark: undefined, hasContent: false }, never);
      if (look?.found?.ok === true) return look.found.value;
      assert.ok(isUp(), `the server ended; ${look?.found?.problem.cause}`);
      await systemClock.sleep(50, never);
    }
  } finally {
    reader.close?.();
  }
}

test(
  "OLM's opm serve and our server give the same catalog, with deprecations, dependencies and two channels",
  { skip: opm === undefined ? "not here: opm is not on the PATH" : false },
  async (context) => {
    const directory = await mkdtemp(join(tmpdir(), "purser-opm-"));
    await writeFile(join(directory, "catalog.yaml"), text);
    const port = await freePort();
    const caches = await mkdtemp(join(tmpdir(), "purser-opm-cache-"));
    const args = [
      "serve",
      directory,
      "--port",
      String(port),
      "--cache-dir",
      join(caches, "opm"),
      "--cache-enforce-integrity=false",
      "--termination-log",
      join(caches, "log"),
    ];
    const child = spawn(opm ?? "", args, { stdio: "ignore" });
    const index = await indexOf(text);
    const ours = await serveIndex(() => index);
    context.after(async () => {
      child.kill("SIGKILL");
      await ours.stop(0);
      index.close();
      for (const each of [directory, caches]) await rm(each, { recursive: true });
    });
    const theirs = await read(`127.0.0.1:${port}`, join(caches, "theirs"), () => child.exitCode === null);
    const own = await read(ours.address, join(caches, "ours"), () => true);
    assert.deepEqual(theirs.package("a"), own.package("a"));
    assert.deepEqual(theirs.package("b"), own.package("b"));
    assert.equal(theirs.package("a")?.deprecation, "package a ends");
    assert.equal(theirs.digest, own.digest);
    theirs.close();
    own.close();
  },
);
