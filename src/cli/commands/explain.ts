import type { Explanation } from "../../explanation/explanation.ts";
import { formatExplanation } from "../../explanation/tree.ts";
import { defaultCacheFolder } from "../../engine/folders.ts";
import { explainExtension, explainNamespace, KeptCatalogs } from "../../engine/explain-installation.ts";
import type { JsonValue } from "../../json.ts";
import type { CommandSpec, Outcome } from "../command.ts";
import { textOption } from "../command.ts";
import { connect } from "../connect.ts";
import { exitCodes } from "../exit-code.ts";
import { findInstallation, notFound, readInstallations } from "../installations.ts";

export const explainCommand: CommandSpec = {
  name: "explain",
  group: "Look",
  summary: "Say why an installation is where it is: the decision taken again, with its reasons and the ways out",
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME or ext/NAME", required: true }],
  examples: [["purser explain operators/kube-green", "why it moves or does not"]],
  async run(invocation) {
    const connection = connect(invocation);
    const { terminal } = invocation;
    try {
      const { client } = connection;
      const [name = ""] = invocation.arguments;
      const found = findInstallation(
        name,
        await readInstallations(client, undefined),
        textOption(invocation, "namespace"),
      );
      if (found.kind === "missing") return notFound(terminal, name, found.near);
      const { installation } = found;
      const kept = new KeptCatalogs(defaultCacheFolder(terminal.env));
      if (installation.api === "v1") {
        const outcome = await explainExtension(installation.name, client, kept);
        if (outcome === undefined) return notFound(terminal, name, []);
        if (outcome.kind === "failed") return refusal(outcome.explanation, outcome.upstream);
        const { bundle, catalog } = outcome;
        return decided(
          `${installation.reference}: ${bundle.name} from catalog ${catalog}${installation.bundle === bundle.name ? ", which is installed" : ""}`,
          installation.why,
        );
      }
      const outcome = await explainNamespace(installation.namespace ?? "", client, kept);
      if (outcome.kind !== "resolved") return refusal(outcome.explanation, outcome.upstream);
      const chosen = outcome.operators.map(
        ({ bundle, catalog, upToDate }) =>
          `${bundle.name} from ${catalog.namespace}/${catalog.name}, channel ${bundle.channel}${upToDate ? ", in place" : ""}`,
      );
      return decided(
        [`${installation.reference}: nothing refuses it`, ...chosen.map((line) => `  ${line}`)].join("\n"),
        installation.why,
      );
    } finally {
      connection.close();
    }
  },
};

function refusal(explanation: Explanation, upstream: string): Outcome {
  return {
    exitCode: exitCodes.done,
    data: { outcome: "refused", upstream, explanation: explanation as unknown as JsonValue },
    human: formatExplanation(explanation),
  };
}

function decided(text: string, why: string): Outcome {
  return {
    exitCode: exitCodes.done,
    data: { outcome: "resolved", text, why },
    human: why === "" ? text : `${text}\nnow: ${why}`,
  };
}
