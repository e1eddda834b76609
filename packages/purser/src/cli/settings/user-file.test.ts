import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UsageError } from "../command.ts";
import { runPurser } from "../testing/run-purser.ts";
import { fillFromUserFile } from "./user-file.ts";
import { userFileOf } from "./user-file-path.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-user-file-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const env = { XDG_CONFIG_HOME: directory };
const file = userFileOf(env);
mkdirSync(join(directory, "purser"));

test("the user's file sets variables that are not set, and no others", async () => {
  assert.equal(file, join(directory, "purser/config.yaml"));
  const filled = async (text: string, more: Record<string, string> = {}) => {
    writeFileSync(file, text);
    const all: Record<string, string | undefined> = { ...env, ...more };
    await fillFromUserFile(all);
    const { XDG_CONFIG_HOME: _, ...set } = all;
    return set;
  };
  const text = "output: wide\naccessible: true\nno-hints: false\ncolor: never\n";
  assert.deepEqual(await filled(text, { PURSER_COLOR: "always", PURSER_OUTPUT: "" }), {
    PURSER_COLOR: "always",
    PURSER_OUTPUT: "wide",
    PURSER_ACCESSIBLE: "1",
    PURSER_NO_HINTS: "",
  });
  assert.deepEqual(await filled(""), {});
  const refused = async (wrong: string, message: RegExp, hint: string) =>
    assert.rejects(filled(wrong), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      assert.equal(error.hints[0] ?? "", hint);
      return true;
    });
  await refused("colour: never", /has the key "colour", which is no setting/, 'did you mean "color"?');
  await refused("output: [wide]", /^output in .* is neither a text nor true or false/, "");
  await refused("- a", /is not an object/, "");
  await refused("a: b: c", /config\.yaml: /, "");
  rmSync(file);
  const none: Record<string, string | undefined> = { ...env };
  await fillFromUserFile(none);
  assert.deepEqual(none, env);
});

test("config view shows each setting with its value, and with --origin what sets it", async () => {
  writeFileSync(file, "output: wide\n");
  const seen = { ...env, PURSER_OUTPUT: "wide", PURSER_CACHE_DIR: "/var/cache/purser", HOME: directory };
  const plain = await runPurser(["config", "view"], { env: seen });
  assert.match(plain.text, /^NAME +VALUE\noutput +wide\ncolor +auto\n/);
  const { text, data } = await runPurser(["config", "view", "--origin"], { env: seen });
  assert.match(text, new RegExp(`^output +wide +${file}$`, "m"));
  assert.match(text, /^color +auto +default$/m);
  assert.match(text, /^cache-dir +\/var\/cache\/purser +PURSER_CACHE_DIR$/m);
  const { items } = data as { readonly items: readonly { readonly name: string; readonly origin: string }[] };
  assert.equal(items.find(({ name }) => name === "output")?.origin, file);
});
