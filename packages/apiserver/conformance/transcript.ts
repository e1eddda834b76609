import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { kubectlIn, type Kubectl } from "./kubectl.ts";
import { CannotShow, type Row } from "./row.ts";
import type { Scene } from "./scene.ts";

const directory = join(import.meta.dirname, "transcripts");

interface Step {
  readonly line: string;
  readonly args: readonly string[];
  /** A file of the directory that kubectl reads. */
  readonly input: string | undefined;
  /** Normalized by {@link plain}, with `[exit N]` at its end when it is not 0. */
  readonly output: readonly string[];
}

/**
 * Parses a transcript: a line `$ kubectl ARGS [< FILE]`, then its output. `sleep N` waits for controllers. NS and GROUP
 * stand for the namespace and the group of the row.
 */
function parseTranscript(text: string): readonly Step[] {
  const steps: { line: string; args: readonly string[]; input: string | undefined; output: string[] }[] = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("#")) continue;
    if (!line.startsWith("$ ")) {
      steps.at(-1)?.output.push(line);
      continue;
    }
    const words = [...line.slice(2).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    const mark = words.indexOf("<");
    steps.push({
      line,
      args: mark < 0 ? words : words.slice(0, mark),
      input: mark < 0 ? undefined : words[mark + 1],
      output: [],
    });
  }
  return steps;
}

/** Random values and values that differ between clusters, ordered so that replacements do not interfere. */
const drawn: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, "TIME"],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/\b10\.\d+\.\d+\.\d+\b/g, "IP"],
  [/(resource ?version"?: *"?)\d+/gi, "$1RV"],
  [/(kube-api-access-)\w{5}/g, "$1DRAWN"],
  [/-[bcdfghjklmnpqrstvwxz0-9]{8,10}-[bcdfghjklmnpqrstvwxz0-9]{5}\b/g, "-HASH-DRAWN"],
  [/((?:pod-template|controller-revision)-hash=)[a-z0-9]+/g, "$1HASH"],
  [/\b(d)-[bcdfghjklmnpqrstvwxz0-9]{8,10}\b/g, "$1-HASH"],
  [/\b3[0-2]\d{3}\b/g, "NODEPORT"],
  [/\b(?:\d+[dhm])?\d+[smh]\b/g, "AGE"],
];

/** Output without random values and without the column widths that depend on them. */
function plain(output: string, scene: Scene): readonly string[] {
  let text = output.replaceAll(scene.group, "GROUP").replaceAll(scene.ns, "NS");
  for (const [pattern, name] of drawn) text = text.replaceAll(pattern, name);
  // Descriptions in `explain` differ.
  text = text.replaceAll(/DESCRIPTION:\n[\s\S]*?(?=FIELDS:)/g, "");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/[ \t]+/g, " ").trimEnd());
}

/** The kubectl version of the transcripts; others have different texts. */
const wordsOf = /"gitVersion": *"(v1\.36\.[^"]*)"/;

async function requireWords(kubectl: Kubectl): Promise<void> {
  const { text } = await kubectl(["version", "--client", "-o", "json"]);
  if (wordsOf.test(text)) return;
  const found = /"gitVersion": *"([^"]*)"/.exec(text)?.[1] ?? "another one";
  throw new CannotShow(
    `transcripts are those of kubectl 1.36, this is ${found} (KUBEBUILDER_ASSETS names its directory)`,
  );
}

/** Replays the transcript `NAME.txt` as one row. */
export function transcriptRow(row: number, name: string, file: string): Row {
  return {
    row,
    name,
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      await requireWords(kubectl);
      // The scene does not know what a transcript applies.
      const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${scene.group}`;
      scene.atEnd(() => scene.ask({ method: "DELETE", path: definition }));
      const read = async (one: string): Promise<string> =>
        (await readFile(join(directory, one), "utf8")).replaceAll("GROUP", scene.group).replaceAll("NS", scene.ns);
      for (const { line, args, input, output } of parseTranscript(
        await readFile(join(directory, `${file}.txt`), "utf8"),
      )) {
        const [program, ...rest] = args;
        if (program === "sleep") {
          await new Promise((resolve) => setTimeout(resolve, Number(rest[0]) * 1000));
          continue;
        }
        const own = rest.map((word) => word.replaceAll("GROUP", scene.group).replaceAll("NS", scene.ns));
        const ran = await kubectl(own, input === undefined ? undefined : await read(input));
        const lines = plain(ran.text, scene);
        const all = ran.code === 0 ? lines : [...lines, `[exit ${ran.code}]`];
        assert.deepEqual(all.filter(Boolean), output.filter(Boolean), line);
      }
    },
  };
}
