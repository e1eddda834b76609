import type { Explanation } from "../../explanation/explanation.ts";
import type { ImageProblem } from "../../image/image-problem.ts";
import { labelledContent } from "../../image/layers/wanted-directories.ts";
import type { Outcome } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";

/** What an image was wanted for; names the cause of a refusal. */
export type ImageContent = "catalog" | "bundle";

const unavailable = { catalog: "CatalogUnavailable", bundle: "BundleUnavailable" } as const;

/** The outcome of a command whose image cannot be read or written: reference, mirror, HTTP status and remedy. */
export function withoutImage(content: ImageContent, problem: ImageProblem): Outcome {
  const { cause, remedy, reference, httpStatus, mirror, kind, labels } = problem;
  const facts: Explanation["facts"] = {
    reference,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(mirror === undefined ? {} : { mirror }),
  };
  const other = labels === undefined ? undefined : labelledContent(labels);
  if (content === "catalog" && other === "bundle") return { explanation: bundleForCatalog(reference, facts) };
  const summary = cause.split("\n", 1)[0] ?? "";
  return {
    exitCode: exitCodeOfProblem(kind),
    explanation: {
      code: kind === "signature" ? "SignatureRejected" : unavailable[content],
      summary: summary.slice(0, 200),
      facts,
      derivation: summary.length > 200 ? [{ relation: "fact", subject: reference, text: cause }] : [],
      remedies: [{ summary: remedy }],
    },
  };
}

function bundleForCatalog(reference: string, facts: Explanation["facts"]): Explanation {
  return {
    code: "CatalogInvalid",
    summary: `${JSON.stringify(reference)} is the image of a bundle, not of a catalog`.slice(0, 200),
    facts,
    derivation: [{ relation: "fact", subject: reference, text: "its labels are those of a bundle" }],
    remedies: [
      { summary: "checks the bundle", command: `purser bundle validate ${reference}` },
      { summary: "makes a catalog's document of it", command: `purser catalog render ${reference}` },
    ],
  };
}

function exitCodeOfProblem(kind: ImageProblem["kind"]): ExitCode {
  switch (kind) {
    case "reference":
      return exitCodes.usage;
    case "unauthorized":
    case "signature":
      return exitCodes.forbidden;
    case "notFound":
      return exitCodes.notFound;
    case "unreachable":
      return exitCodes.unreachable;
    case "configuration":
    case "invalid":
    case "content":
    case "limit":
    case "machine":
      return exitCodes.failed;
  }
}
