import { existsSync } from "node:fs";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageReference } from "../../image-reference.ts";
import { configurationText } from "../configuration/configuration-problem.ts";
import { findCredentials } from "../configuration/find-credentials.ts";
import { type Environment, imagePaths } from "../configuration/image-paths.ts";
import type { PullPlace } from "../configuration/pull-place.ts";
import { pullPlaces } from "../configuration/pull-places.ts";
import { parserOfChanges, readCredentialHelpers, readRegistries } from "../configuration/read-registries.ts";
import type { ImageProblem } from "../image-problem.ts";
import type { ImageSource } from "../image-source.ts";
import type { RegistryAuth } from "../registry-auth.ts";
import { parseRegistryReference } from "./registry-reference.ts";
import { RegistryConnections } from "./registry-connections.ts";
import type { RegistryFailure } from "./registry-failure.ts";
import { defaultRegistryLimits, type RegistryLimits } from "./registry-limits.ts";
import { registrySource } from "./registry-source.ts";
import { RegistryWriter } from "./registry-writer.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.ts";

export interface RegistriesOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Of the process: home directory, files that variables name, proxies. */
  readonly environment: Environment;
  /** PEM files that are authorities for every registry, and directories of such files (`--pull-cas-dir`). */
  readonly authorities?: readonly string[];
  /** `--use-http` and `--skip-tls-verify` of opm mean the same: no verification, and plain HTTP where HTTPS is not served. */
  readonly useHttp?: boolean;
  readonly skipTlsVerify?: boolean;
  readonly limits?: RegistryLimits;
  readonly retry?: RetryPolicy;
  /** `/etc` when absent. */
  readonly systemDirectory?: string;
}

export interface RegistryRequest {
  /** `[docker://]host/repository:tag|@digest`. */
  readonly reference: string;
  /** Go before the credentials of files and helpers. */
  readonly credentials: readonly RegistryAuth[];
  /** Nothing is sent again that failed in passing: for facts that may be missing. */
  readonly once?: true;
}

/** All registries as one process reaches them: open connections, and configuration that is read anew for each image. */
export interface Registries {
  /** The image, without a request yet. Problems: short names, neither tag nor digest, not parsable. */
  open(request: RegistryRequest): Result<ImageSource, ImageProblem>;
  /** Writes to the registry that the reference names: mirrors are for reading. */
  openWriter(request: RegistryRequest): Result<RegistryWriter, ImageProblem>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** Reads registries.conf, auth files, credential helpers, certs.d and the proxies of the environment. */
export function createRegistries(options: RegistriesOptions): Registries {
  const { clock, entropy, environment, authorities = [], systemDirectory = "/etc" } = options;
  const { limits = defaultRegistryLimits, retry = defaultRetryPolicy } = options;
  const isInsecure = options.useHttp === true || options.skipTlsVerify === true;
  const paths = (): ReturnType<typeof imagePaths> => imagePaths(environment, existsSync, systemDirectory);
  const connections = new RegistryConnections({ environment, hostRoots: paths().certificateRoots, authorities });
  const parseFile = parserOfChanges();
  const parts = { connections, clock, entropy, limits, retry };

  const credentials =
    (given: readonly RegistryAuth[]) =>
    async (place: ImageReference, signal: AbortSignal): Promise<Result<RegistryAuth | undefined, RegistryFailure>> => {
      const { authFiles, ...files } = paths();
      const helpers = readCredentialHelpers(files);
      const found = await findCredentials(place, { given, authFiles, helpers, environment, clock }, signal);
      return found.ok ? found : failed(unusableCredentials(found.problem));
    };

  function placesOf(name: string, reference: ImageReference): Result<readonly PullPlace[], ImageProblem> {
    const rules = readRegistries(paths(), parseFile);
    if (!rules.ok)
      return failed(misconfigured(name, `cannot be pulled: ${configurationText(rules.problem)}`, "correct this file"));
    const places = pullPlaces(reference, rules.value, isInsecure);
    return places.ok ? places : failed(misconfigured(name, places.problem.text, places.problem.remedy));
  }

  return {
    open({ reference: name, credentials: given, once }) {
      const reference = parseRegistryReference(name);
      if (!reference.ok) return reference;
      const places = (): ReturnType<typeof placesOf> => placesOf(name, reference.value);
      const own = { ...parts, ...(once === true ? { retry: { ...retry, tries: 1 } } : {}) };
      return done(registrySource(reference.value, { ...own, name, places, credentials: credentials(given) }));
    },
    openWriter({ reference: name, credentials: given }) {
      const reference = parseRegistryReference(name);
      if (!reference.ok) return reference;
      const places = placesOf(name, reference.value);
      if (!places.ok) return places;
      const place = places.value.find(({ isMirror }) => !isMirror);
      if (place === undefined) throw new Error(`no registry to write ${name} to`);
      const of = (signal: AbortSignal): ReturnType<ReturnType<typeof credentials>> =>
        credentials(given)(place.reference, signal);
      return done(new RegistryWriter(name, place, { ...parts, credentials: of }));
    },
    close: () => connections.close(),
  };
}

function misconfigured(reference: string, text: string, remedy: string): ImageProblem {
  return { kind: "configuration", reference, cause: `image ${reference} ${text}`, remedy };
}

function unusableCredentials(text: string): RegistryFailure {
  return {
    kind: "configuration",
    text,
    remedy: "correct the file or the helper with the credentials",
    isPassing: false,
  };
}
