import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Outcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { ImageContent } from "./image-refusal.ts";

/** The outcome of a command whose reference is neither an existing path nor an image reference. */
export function missingReference(content: ImageContent, reference: string): Outcome {
  const near = nearNames(reference);
  const summary = `${JSON.stringify(reference)} does not exist`;
  const remedies = near.map((name) => ({ summary: `name ${name}` }));
  return content === "catalog"
    ? {
        explanation: {
          code: "CatalogNotFound",
          summary: summary.slice(0, 200),
          facts: { wanted: reference, nearest: near },
          derivation: [],
          remedies,
        },
      }
    : {
        exitCode: exitCodes.notFound,
        explanation: {
          code: "BundleUnavailable",
          summary: summary.slice(0, 200),
          facts: { wanted: reference, nearest: near },
          derivation: [],
          remedies: [...remedies, { summary: "name the directory that holds manifests/ and metadata/, or an image" }],
        },
      };
}

function nearNames(reference: string): readonly string[] {
  const directory = dirname(reference);
  try {
    const names = readdirSync(directory).filter((name) => !name.startsWith("."));
    const prefix = reference.slice(0, reference.length - basename(reference).length);
    return nearestNames(basename(reference), names).map((name) => `${prefix}${name}`);
  } catch {
    return [];
  }
}
