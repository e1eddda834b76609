import { logRecord } from "../../catalog/opm/answer.ts";
import type { WantedContent } from "../../image/pulled-image.ts";
import { type FetchedImages, isWholeImage } from "./fetched-images.ts";
import type { ParsedFlags } from "./flags.ts";
import { flagSet, flagText, type LongOpmCommand, type OpmCommand, type RunningWorld } from "./opm-command.ts";

/**
 * The form of a synchronous command in which images are pulled before it runs.
 * @param references the words that may name images; those that exist as paths are not pulled
 */
export function pullingFirst(
  command: OpmCommand,
  references: (parsed: ParsedFlags) => readonly string[],
): LongOpmCommand {
  return {
    ...command,
    async run(parsed, world) {
      const log: Parameters<OpmCommand["run"]>[1] = (message, level = "info") => world.log(logRecord(level, message));
      return withFetchedImages(references(parsed), "any", parsed, world, (images) => command.run(parsed, log, images));
    },
  };
}

/** Runs `use` with the images that `references` name; what was pulled can be read until it ends. */
export async function withFetchedImages<Answer>(
  references: readonly string[],
  wanted: WantedContent,
  parsed: ParsedFlags,
  world: RunningWorld,
  use: (images: FetchedImages) => Answer | Promise<Answer>,
): Promise<Answer> {
  const names = new Set(references.filter(isWholeImage));
  if (names.size === 0) return use(new Map());
  // Commands on directories need no registry client.
  const { pullEach } = await import("./pull-each.ts");
  const rootCa = flagText(parsed, "root-ca");
  const authorities = rootCa === "" ? [] : [rootCa];
  return pullEach([...names], { wanted, isInsecure: isInsecure(parsed), authorities }, world, use);
}

/** Whether the flags ask for registries without TLS or without verified certificates; as in upstream both are the same. */
export function isInsecure(parsed: ParsedFlags): boolean {
  return ["skip-tls", "skip-tls-verify", "use-http"].some((name) => flagSet(parsed, name));
}
