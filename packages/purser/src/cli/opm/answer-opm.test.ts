import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";

const main = resolve(import.meta.dirname, "../main.ts");
const listLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  process.on("exit", () => process.stderr.write(loaded.join("\\n")));
`)}`;

test("opm loads neither other commands, nor the Kubernetes client, nor CEL", () => {
  const { stderr, stdout } = spawnSync(process.execPath, ["--import", listLoaded, main, "opm", "version"], {
    encoding: "utf8",
  });
  assert.match(stdout, /OpmVersion/);
  assert.match(stderr, /answer-opm\.ts/);
  const loaded = stderr.split("\n");
  for (const absent of ["/cli/commands.ts", "/kube/", "/cel/cel.ts", "/apiserver/"])
    assert.deepEqual(
      loaded.filter((url) => url.includes(absent)),
      [],
    );
});
