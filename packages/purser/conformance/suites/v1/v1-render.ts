import type { CertificateProvider } from "../../../src/bundle/render/certificate-need.ts";
import { readBundle } from "../../../src/bundle/read-bundle.ts";
import { renderBundle, renderExtension } from "../../../src/bundle/render/render-v1.ts";
import type { BundleFeature } from "../../../src/bundle/support-checks.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { parseJson } from "@purser/kubernetes/text/json-document";
import { compareExactly, compareLoosely, firstDifference } from "../../compare.ts";
import type { Compare, Suite, SuiteContext } from "../../suite.ts";
import { absent, answer } from "../../suite.ts";
import { bundleAt, contentHash, filesOf, listAt, objectAt, textAt } from "../bundle-directory.ts";

const providers: readonly CertificateProvider[] = ["none", "cert-manager", "service-ca"];
const features: readonly BundleFeature[] = ["webhooks", "singleOwnNamespace", "deploymentConfig"];

function render(input: JsonObject, { data }: SuiteContext): JsonValue | undefined {
  const path = textAt(input, "bundle");
  const files = path === "" ? filesOf(objectAt(input, "files")) : bundleAt(data, path);
  if (files === undefined) return undefined;
  const bundle = readBundle(files);
  // Upstream stops at the first thing it cannot read.
  if (!bundle.ok) return { error: bundle.problem[0]?.message ?? "" };
  const certificateProvider = providers.find((name) => name === member(input, "certProvider")) ?? "none";
  const installNamespace = textAt(input, "installNamespace");
  const config = member(input, "config");
  const targets = member(input, "targetNamespaces");
  const rendered =
    targets === undefined
      ? renderExtension(bundle.value, {
          installNamespace,
          certificateProvider,
          off: features.filter((feature) => listAt(input, "off").includes(feature)),
          ...(config === null || config === undefined ? {} : { config }),
        })
      : renderBundle(bundle.value, {
          installNamespace,
          certificateProvider,
          targetNamespaces: listAt(input, "targetNamespaces").filter((name) => typeof name === "string"),
        });
  if (!rendered.ok) return { error: rendered.problem.map(({ message }) => message).join("\n") };
  const { objects } = rendered.value;
  return { count: objects.length, objects: objects.map(described) };
}

function described(object: JsonObject): JsonObject {
  const metadata = objectAt(object, "metadata");
  const namespace = member(metadata, "namespace");
  return {
    apiVersion: textAt(object, "apiVersion"),
    kind: textAt(object, "kind"),
    name: textAt(metadata, "name"),
    ...(namespace === undefined ? {} : { namespace }),
    sha256: contentHash(object),
  };
}

/** The objects themselves are in `expect` for people; their hashes decide. */
function withoutObjects({ variants: _seen, ...expect }: JsonObject): JsonObject {
  const objects = listAt(expect, "objects").map((entry) =>
    isJsonObject(entry) ? Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "object")) : entry,
  );
  return member(expect, "objects") === undefined ? expect : { ...expect, objects };
}

/** Names that OLM may call unknown: the keys of the configuration, when there are several to choose from. */
function keysOf(input: JsonObject): readonly string[] {
  const given = member(input, "config");
  const read = typeof given === "string" ? readYaml(given) : undefined;
  const config = read?.ok === true ? read.value : given;
  return isJsonObject(config) ? [...Object.keys(config), ...Object.keys(objectAt(config, "deploymentConfig"))] : [];
}

/**
 * OLM checks a configuration with a library that goes through its members in the order of a hash map: it names any
 * one of several unknown keys, and the lines of several errors change places.
 */
const compareText: Compare = (golden, value) => {
  const plain = { ...golden, expect: withoutObjects(golden.expect) };
  const difference = compareExactly()(plain, value);
  if (difference === undefined || !isJsonObject(value)) return difference;
  const keys = keysOf(golden.input);
  const anyOrder = (text: string): string => {
    const unnamed = text.replaceAll(/unknown field "([^"]*)"/g, (whole, key: string) =>
      keys.includes(key) ? "unknown field" : whole,
    );
    return unnamed.includes(": multiple errors found:\n") ? unnamed.split("\n").toSorted().join("\n") : unnamed;
  };
  const expected = textAt(golden.expect, "error");
  if (expected === "") return difference;
  const [wanted, given] = [plain.expect, value].map((side) => ({ ...side, error: anyOrder(textAt(side, "error")) }));
  return firstDifference(wanted, given);
};

export const suite: Suite = {
  name: "v1-render",
  compare: compareLoosely(compareText, ["error"]),
  run({ text }, context) {
    // Read again with all digits of whole numbers.
    const golden = parseJson(text);
    const input = isJsonObject(golden) ? objectAt(golden, "input") : {};
    const rendered = render(input, context);
    return rendered === undefined ? absent(`bundle ${textAt(input, "bundle")}`) : answer(rendered);
  },
};
