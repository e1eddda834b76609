import type { Secret } from "@purser/kubernetes/apis/core";
import type { ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import { secrets } from "@purser/kubernetes/apis/resources";
import type { KeyPair } from "@purser/kubernetes/certificate/certificate";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { isRefused, written } from "@purser/kubernetes/kube/refusal";
import { toBase64 } from "../../base64.ts";
import { Changes } from "../../content/changes.ts";
import {
  packageAuthority,
  type RenewedCertificate,
  type ServingCertificate,
  servingCertificate,
} from "../package-api/serving-certificate.ts";
import { certificateIn, ownStep } from "./held-certificate.ts";

/** The Secret that holds the serving certificate of all replicas. */
export interface ServingSecret {
  readonly namespace: string;
  readonly name: string;
  /** `own`: Purser creates it and renews its certificate; else it is only read. */
  readonly issuer: "own" | "others";
}

export interface ServingSecretOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  /** DNS names that a certificate of our own is for. */
  readonly hosts: readonly string[];
  /** The object with which a Secret of our own is deleted. */
  readonly owner?: OwnerReference;
}

/** The certificate of the Secret, followed until it is stopped. */
export interface SharedCertificate extends RenewedCertificate {
  stop(): Promise<void>;
}

/** How often the Secret is read again, and how long one that is missing is waited for. */
const lookEveryMs = 20_000;
const missingEveryMs = 2000;

/**
 * Reads the certificate, creates it where Purser issues it, and follows the Secret from then on. Waits for a Secret of others that
 * does not exist yet, or holds no certificate, and for the right to read or write it. Replicas that write it at the same time agree, because only one of them succeeds.
 * @throws when the API server does not answer, or when the signal aborts
 */
export async function followServingSecret(
  secret: ServingSecret,
  options: ServingSecretOptions,
  signal: AbortSignal,
): Promise<SharedCertificate> {
  const { clock, log } = options;
  const where = { secret: `${secret.namespace}/${secret.name}` };
  const look = (): Promise<ServingCertificate | string> =>
    read(secret, options, signal).catch((error: unknown) => {
      // Without the right nothing can be served; the pod is not ready until it is granted.
      if (!isRefused(error, "forbidden")) throw error;
      return error instanceof Error ? error.message : String(error);
    });
  let current = await look();
  if (typeof current === "string")
    log("warn", `waits for the serving certificate: ${current}`, {
      ...where,
      do: "let its issuer create the Secret, start with --serving-secret-issuer own, or grant the right that is named",
    });
  while (typeof current === "string") {
    await clock.sleep(missingEveryMs, signal);
    current = await look();
  }
  let held: ServingCertificate = current;
  const changes = new Changes<ServingCertificate>();
  const stopping = new AbortController();
  const lookAgain = async (): Promise<void> => {
    const found = await read(secret, options, stopping.signal);
    if (typeof found === "string") throw new Error(found);
    if (JSON.stringify(found) === JSON.stringify(held)) return;
    held = found;
    log("info", "the serving certificate was renewed", where);
    changes.announce(found);
  };
  const following = (async () => {
    for (;;) {
      await clock.sleep(lookEveryMs, stopping.signal);
      await lookAgain().catch((error: unknown) => {
        if (stopping.signal.aborted) throw error;
        log("warn", "the serving certificate could not be checked", { ...where, error: String(error) });
      });
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    current: () => held,
    changes: (until) => changes.listen(AbortSignal.any([until, stopping.signal])),
    async stop() {
      stopping.abort(new Error("changes of the serving certificate are no longer noticed"));
      await following;
    },
  };
}

/** The certificate now, issued where that is ours to do; a text says why there is none. */
async function read(
  { issuer, ...key }: ServingSecret,
  options: ServingSecretOptions,
  signal: AbortSignal,
): Promise<ServingCertificate | string> {
  const { client, clock, hosts, log } = options;
  for (;;) {
    signal.throwIfAborted();
    const found = await client.get(secrets, key);
    if (issuer === "others") {
      const held = certificateIn(found);
      return held.ok ? held.value : held.problem;
    }
    const step = ownStep(found, hosts, clock.now());
    if (step.kind === "keep") return step.certificate;
    const object = await issued(key, found, step.kind === "renew" ? step.authority : undefined, options);
    const verb = found === undefined ? "create" : "replace";
    const result = await client.write({ verb, type: secrets, object }, signal);
    // Another replica was faster: what it wrote counts.
    if (!result.ok && ["conflict", "alreadyExists", "notFound"].includes(result.problem.kind)) continue;
    written(result);
    log("info", "issued a serving certificate", { secret: `${key.namespace}/${key.name}`, because: step.why });
  }
}

async function issued(
  key: ObjectKey,
  former: Secret | undefined,
  given: KeyPair | undefined,
  { clock, entropy, hosts, owner }: ServingSecretOptions,
): Promise<Secret> {
  const authority = given ?? (await packageAuthority(clock.now(), entropy));
  const serving = await servingCertificate(authority, hosts, clock.now(), entropy);
  const texts = {
    "tls.crt": serving.certificatePem,
    "tls.key": serving.privateKeyPem,
    "ca.crt": authority.certificatePem,
    "ca.key": authority.privateKeyPem,
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    // The type of a Secret cannot be changed.
    type: former?.type ?? "kubernetes.io/tls",
    metadata: {
      ...(former?.metadata ?? key),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      labels: { ...former?.metadata.labels, "app.kubernetes.io/managed-by": "purser" },
    },
    data: {
      ...former?.data,
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, toBase64(text)])),
    },
  };
}
