import { readFileSync } from "node:fs";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { CertificateProvider } from "../../bundle/render/certificate-need.ts";
import { readExtensionConfig } from "../../bundle/extension-config.ts";
import { type ConfigFault, faultPath } from "../../bundle/config-schema.ts";
import { readBundle } from "../../bundle/read-bundle.ts";
import { type BundleProblem, type RegistryBundle } from "../../bundle/registry-bundle.ts";
import { renderBundle, renderExtension, type RenderedBundle } from "../../bundle/render/render-v1.ts";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { failed, type Result } from "@purser/kubernetes/result";
import { goJsonIndented, readYaml, writeYaml } from "@purser/kubernetes/text/documents";
import { type Invocation, listOption, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { LocalContent } from "../image/local-content.ts";
import { invalidFrom, readLocalBundle } from "./bundle-reference.ts";

/**
 * Prints the objects that an installation of the bundle in a namespace would apply.
 * @throws UsageError without a namespace, and for a configuration that cannot be read
 */
export function renderLocalBundle(invocation: Invocation, content: LocalContent): Outcome {
  const { reference } = content;
  const namespace = textOption(invocation, "namespace");
  if (namespace === undefined)
    throw new UsageError(
      "--namespace says where the operator runs",
      `purser bundle render ${reference} --namespace NS`,
    );
  const config = configOf(textOption(invocation, "config"));
  const files = readLocalBundle(content);
  if (!files.ok) return { explanation: files.problem };
  const bundle = readBundle(files.value);
  if (!bundle.ok) return { explanation: invalidFrom(reference, bundle.problem) };
  const provider = textOption(invocation, "webhook-certificates") === "cert-manager" ? "cert-manager" : "own";
  const rendered = render(bundle.value, namespace, listOption(invocation, "watch"), config, provider);
  if (!rendered.ok) {
    const faults = rendered.problem.flatMap(({ faults: ofOne = [] }) => ofOne);
    return {
      explanation:
        faults.length === 0 ? invalidFrom(reference, rendered.problem) : misfit(invocation, reference, faults),
    };
  }
  const { objects } = rendered.value;
  const isJson = textOption(invocation, "output") === "json";
  const list: JsonObject = { apiVersion: "v1", kind: "List", items: objects };
  const verbatim = isJson
    ? `${goJsonIndented(list, "  ", false)}\n`
    : objects.map((object) => `---\n${writeYaml(object)}`).join("");
  return { exitCode: exitCodes.done, verbatim };
}

/** Why the configuration does not fit the bundle: each field with its rule. */
function misfit(invocation: Invocation, reference: string, faults: readonly ConfigFault[]): Explanation {
  const file = textOption(invocation, "config");
  const namespace = textOption(invocation, "namespace") ?? "";
  const places = faults.map((fault) => faultPath("config", fault));
  const named = listOf([...new Set(places)]);
  const watched = faults.find(({ field: [name] }) => name === "watchNamespace");
  const again = `purser bundle render ${shellWord(reference)} -n ${shellWord(namespace)}`;
  return {
    code: "ConfigurationInvalid",
    summary: summaryOf(`The configuration does not fit ${reference}: ${named}`),
    facts: {
      bundle: reference,
      faults: faults.map(({ schemaPath, text }, at) => ({ field: places[at] ?? "", schemaPath, problem: text })),
    },
    derivation: faults.map(({ text, schemaPath }, at) => ({
      relation: "requested",
      subject: places[at] ?? "",
      text: `${places[at]}: ${text} (schema ${schemaPath})`,
      upstream: text,
    })),
    remedies: [
      ...(file === undefined ? [] : [{ summary: `correct ${named} in ${file}` }]),
      ...watching(again, watched),
      ...(file === undefined ? [] : [{ summary: "render it without a configuration", command: again }]),
    ],
  };
}

/** What to do about the namespace to watch: the one that is allowed, another one, or none. */
function watching(again: string, fault: ConfigFault | undefined): readonly Remedy[] {
  if (fault === undefined) return [];
  if (fault.schemaPath.endsWith("/additionalProperties"))
    return [{ summary: "this operator watches all namespaces: name none", command: again }];
  return [{ summary: "name the namespace to watch", command: `${again} --watch ${fault.wanted ?? "NAMESPACE"}` }];
}

function configOf(path: string | undefined): JsonValue | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--config: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = readYaml(text, path);
  if (!read.ok) throw new UsageError(`--config ${path}: ${read.problem.message}`);
  return read.value;
}

/** Renders the bundle. A ClusterExtension's configuration can name one watched namespace only, so several bypass it. */
function render(
  bundle: RegistryBundle,
  installNamespace: string,
  watch: readonly string[],
  config: JsonValue | undefined,
  certificateProvider: CertificateProvider,
): Result<RenderedBundle, readonly BundleProblem[]> {
  const [only] = watch;
  const given: JsonObject = isJsonObject(config) ? config : {};
  if (only !== undefined && member(given, "watchNamespace") !== undefined)
    throw new UsageError("--watch and watchNamespace of --config set the same value; use one of them");
  if (watch.length < 2) {
    const whole = only === undefined ? config : { ...given, watchNamespace: only };
    const options = { installNamespace, certificateProvider };
    return renderExtension(bundle, whole === undefined ? options : { ...options, config: whole });
  }
  const csv = bundle.csv as unknown as ClusterServiceVersion;
  const alone = readExtensionConfig(csv, installNamespace, config, []);
  // When the install modes require a watched namespace, any value makes the rest of the configuration valid.
  const completed = alone.ok
    ? alone
    : readExtensionConfig(csv, installNamespace, { ...given, watchNamespace: only ?? "" }, []);
  const read = completed.ok ? completed : alone;
  if (!read.ok) return failed([{ kind: "configuration", ...read.problem }]);
  const { deploymentConfig } = read.value;
  return renderBundle(bundle, {
    installNamespace,
    certificateProvider,
    targetNamespaces: watch,
    ...(deploymentConfig === undefined ? {} : { deploymentConfig }),
  });
}
