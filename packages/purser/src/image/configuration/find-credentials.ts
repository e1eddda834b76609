import { readFileSync } from "node:fs";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageReference } from "../../image-reference.ts";
import type { RegistryAuth } from "../registry-auth.ts";
import { type AuthFile, parseAuthFile } from "./auth-file.ts";
import { chooseAuth } from "./choose-auth.ts";
import { configurationText } from "./configuration-problem.ts";
import { askCredentialHelper } from "./credential-helper.ts";
import type { AuthFilePath, Environment } from "./image-paths.ts";
import { readIfThere } from "./read-registries.ts";

export interface CredentialSources {
  /** Those of the caller; they go before all others, and of equally specific ones the first counts. */
  readonly given: readonly RegistryAuth[];
  readonly authFiles: readonly AuthFilePath[];
  /** Programs that are asked for what no file has, in this order. */
  readonly helpers?: readonly string[];
  readonly environment: Environment;
  readonly clock: Clock;
}

/**
 * The credentials for a repository: the caller's, else those of the first file that has some, whose helpers are asked
 * first, else those of the helpers for all registries; with their source. Undefined when there are none. The problem is a sentence without any secret. Rejects when the signal aborts.
 */
export async function findCredentials(
  place: Pick<ImageReference, "registry" | "repository">,
  { given, authFiles, helpers = [], environment, clock }: CredentialSources,
  signal: AbortSignal,
): Promise<Result<RegistryAuth | undefined, string>> {
  const own = chooseAuth(place, given.toReversed());
  if (own !== undefined) return done(own);
  for (const { path, isOldFormat } of authFiles) {
    const text = readIfThere(path, () => readFileSync(path, "utf8"));
    if (!text.ok) return failed(configurationText(text.problem));
    if (text.value === undefined) continue;
    const file = parseAuthFile(text.value, isOldFormat);
    if (!file.ok) return failed(configurationText({ file: path, text: file.problem }));
    const found = await fromFile(place, path, file.value, { environment, clock, signal });
    if (!found.ok || found.value !== undefined) return found;
  }
  for (const name of helpers) {
    const question = { name, registry: place.registry, environment, mayBeMissing: false };
    const auth = await askCredentialHelper(question, clock, signal);
    if (!auth.ok) return auth;
    const source = `credential helper docker-credential-${name} (registries.conf)`;
    if (auth.value !== undefined) return done({ ...auth.value, source });
  }
  return done(undefined);
}

async function fromFile(
  place: Pick<ImageReference, "registry" | "repository">,
  path: string,
  { auths, helpers, store }: AuthFile,
  { environment, clock, signal }: Pick<CredentialSources, "environment" | "clock"> & { readonly signal: AbortSignal },
): Promise<Result<RegistryAuth | undefined, string>> {
  const { registry } = place;
  const helper = helpers[registry];
  const ask = async (name: string, mayBeMissing: boolean): Promise<Result<RegistryAuth | undefined, string>> => {
    const auth = await askCredentialHelper({ name, registry, environment, mayBeMissing }, clock, signal);
    const source = `credential helper docker-credential-${name} (${path})`;
    return auth.ok && auth.value !== undefined ? done({ ...auth.value, source }) : auth;
  };
  if (helper !== undefined) return ask(helper, false);
  const auth = chooseAuth(place, auths);
  if (auth !== undefined) return done({ ...auth, source: `auth file ${path}` });
  if (store === undefined) return done(undefined);
  return ask(store, true);
}
