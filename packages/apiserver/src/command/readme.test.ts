import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { findKubectl } from "../../conformance/find-kubectl.ts";

const directory = resolve(import.meta.dirname, "../..");
const snippets = [...readFileSync(join(directory, "README.md"), "utf8").matchAll(/^```(\w+)\n(.*?)^```/gms)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);
const kubectl = findKubectl(process.env);

suite("the README of the package", () => {
  const [start, use, ...others] = snippets.filter(({ language }) => language === "sh");
  let output = "";
  let stop: () => Promise<number | null> = () => Promise.resolve(null);

  before(async () => {
    assert.ok(start !== undefined);
    // Its own group: the end of npm's shell would not be that of the server.
    const child = spawn("sh", ["-c", start.text], { cwd: resolve(directory, "../.."), detached: true });
    const ended = new Promise<number | null>((done) => child.on("close", done));
    stop = () => {
      process.kill(-(child.pid ?? 0), "SIGTERM");
      return ended;
    };
    await new Promise<void>((done, refuse) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        if (/^kubeconfig {2}.*\n/m.test(output)) done();
      };
      child.stdout.on("data", take);
      child.stderr.on("data", take);
      void ended.then((code) => refuse(new Error(`ended with ${code}: ${output}`)));
    });
  });
  after(() => stop());

  test("has no snippet that is not run here", () => {
    assert.deepEqual(others, []);
    assert.deepEqual(new Set(snippets.map(({ language }) => language)), new Set(["ts", "sh"]));
  });

  for (const { text } of snippets.filter(({ language }) => language === "ts"))
    test("shows a test that passes as it stands", () => {
      const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", text];
      // A test run inside a test run would report to it.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const printed = execFileSync(process.execPath, flags, { cwd: directory, env, encoding: "utf8" });
      assert.match(printed, /\bpass 1\n/);
    });

  test("shows a command that prints what it says and a kubeconfig that works", async (context) => {
    assert.match(output, /^Ready {2}https:\/\/127\.0\.0\.1:\d+ /);
    if (kubectl === undefined) return context.skip("not here: no kubectl in KUBEBUILDER_ASSETS or PATH");
    const file = /^kubeconfig {2}(.*)$/m.exec(output)?.[1] ?? "";
    const lines =
      use?.text.replace("KUBECONFIG=... ", `KUBECONFIG=${file} `).replace(/^kubectl/m, `"${kubectl}"`) ?? "";
    const printed = execFileSync("sh", ["-ec", lines], { encoding: "utf8" });
    assert.match(printed, /^kube-system +Active/m);
  });
});
