import { dependenciesAnnotation } from "../../apis/v1/labels.ts";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { shellWord } from "../../explanation/summary.ts";
import { flagOption, type Invocation, listOption } from "../command.ts";

/** What was asked to be installed; nothing of it exists. */
interface Wanted {
  readonly packageName: string;
  readonly version: string | undefined;
  /** Of the installation that would be created. */
  readonly reference: string;
  readonly name: string;
}

/** Flags that say where and how, whatever package it is. */
const placing = ["namespace", "name", "approval", "watch-namespaces", "tier", "policy", "dependencies"] as const;
const switches = ["as-subscription", "as-extension", "create-namespace", "hold"] as const;
/** Flags about the package's content. */
const choosing = [
  "channel",
  "from-source",
  "catalog-selector",
  "upgrade-constraint-policy",
  "crd-upgrade-safety",
] as const;

/**
 * The refusal of an installation, with remedies that can be pasted: what they install goes where the refused command would have put
 * it, and what they would change of an installation that does not exist becomes another installation.
 */
export function asInstall(explanation: Explanation, invocation: Invocation, wanted: Wanted): Explanation {
  return { ...explanation, remedies: explanation.remedies.flatMap((one) => remedyOf(one, invocation, wanted)) };
}

function remedyOf(remedy: Remedy, invocation: Invocation, wanted: Wanted): readonly Remedy[] {
  const { command } = remedy;
  if (command === undefined) return [remedy];
  const words = command.split(" ");
  const [program, verb, target] = words;
  if (program === "purser" && verb === "install")
    return [{ summary: remedy.summary, command: withFlags(words, target ?? "", invocation, wanted) }];
  if (program === "purser" && verb === "set" && target === shellWord(wanted.reference)) {
    const changed = fromSet(words.slice(3), invocation, wanted);
    return changed === undefined ? [{ summary: remedy.summary }] : [{ summary: remedy.summary, command: changed }];
  }
  if (words.includes(shellWord(wanted.reference))) return [];
  if (program === "kubectl" && words.includes(shellWord(wanted.name))) {
    if (verb === "delete") return [];
    const settings = settingsOf(remedy.patch);
    if (settings !== undefined)
      return [{ summary: remedy.summary, command: withSettings(settings, invocation, wanted) }];
    if (!words.includes(`${dependenciesAnnotation}=install`)) return [{ summary: remedy.summary }];
    const target = targetOf(wanted, wanted.version);
    const asked = withFlags(["purser", "install", target, "--dependencies", "install"], target, invocation, wanted);
    return [{ summary: remedy.summary, command: asked }];
  }
  return [remedy];
}

/** Values of the configuration that a patch of the installation sets; undefined when it is about anything else, or takes one away. */
function settingsOf(patch: JsonValue | undefined): ReadonlyMap<string, string> | undefined {
  const at = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
    isJsonObject(value) ? member(value, key) : undefined;
  const inline = at(at(at(patch, "spec"), "config"), "inline");
  if (!isJsonObject(inline)) return undefined;
  const values = Object.entries(inline).flatMap(([key, value]) =>
    typeof value === "string" ? [[key, value] as const] : [],
  );
  return values.length === Object.keys(inline).length ? new Map(values) : undefined;
}

/** `purser install` of what was asked for with these values in its configuration, in place of those given for the same keys. */
function withSettings(settings: ReadonlyMap<string, string>, invocation: Invocation, wanted: Wanted): string {
  const target = targetOf(wanted, wanted.version);
  const set = listOption(invocation, "set").filter((one) => !settings.has(one.split("=", 1)[0] ?? ""));
  const values = [...settings].flatMap(([key, value]) => ["--set", shellWord(`${key}=${value}`)]);
  const options = { ...invocation.options, set };
  return withFlags(["purser", "install", target, ...values], target, { ...invocation, options }, wanted);
}

const targetOf = ({ packageName }: Wanted, version: string | undefined): string =>
  shellWord(version === undefined ? packageName : `${packageName}@${version}`);

function withFlags(words: readonly string[], target: string, invocation: Invocation, { packageName }: Wanted): string {
  const isSame = target.replace(/^'/, "").split("@")[0] === packageName;
  const isNamed = (flag: string): boolean =>
    words.includes(`--${flag}`) ||
    (flag === "as-subscription" && words.includes("--as-extension")) ||
    (flag === "namespace" && words.includes("-n"));
  const given = [...placing, ...(isSame ? choosing : [])].flatMap((flag) => {
    const values = isNamed(flag) ? [] : listOption(invocation, flag);
    return values.flatMap((value) => [flag === "namespace" ? "-n" : `--${flag}`, shellWord(value)]);
  });
  const labels = ["label", "set", "values"].flatMap((flag) =>
    listOption(invocation, flag).flatMap((value) => [`--${flag}`, shellWord(value)]),
  );
  const set = switches.filter((flag) => flagOption(invocation, flag) && !isNamed(flag)).map((flag) => `--${flag}`);
  return [...words, ...given, ...labels, ...set].join(" ");
}

const flagOfSet: Readonly<Record<string, string>> = {
  "--channel": "channel",
  "--catalog": "from-source",
  "--upgrade-constraint-policy": "upgrade-constraint-policy",
};

/** `purser install` of what `purser set` would have changed; undefined when it has no such flag. */
function fromSet(words: readonly string[], invocation: Invocation, wanted: Wanted): string | undefined {
  let { version } = wanted;
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [flag = "", value = ""] = words.slice(at, at + 2);
    if (flag === "--version") version = value === "any" ? undefined : value;
    else if (flagOfSet[flag] === undefined) return undefined;
    else flags.set(flagOfSet[flag], value);
  }
  const target = targetOf(wanted, version);
  const named = [...flags].flatMap(([flag, value]) => (value === "any" ? [] : [`--${flag}`, value]));
  const options = Object.fromEntries(Object.entries(invocation.options).filter(([flag]) => !flags.has(flag)));
  return withFlags(["purser", "install", target, ...named], target, { ...invocation, options }, wanted);
}
