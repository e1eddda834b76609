import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { all, done, failed, type Result } from "@purser/kubernetes/result";
import { type CertificateRule, certificatesIn } from "./certificate-chain.ts";
import type { MaterialSource, SigstoreRequirement } from "./policy.ts";

/** What a requirement names, read. */
export interface TrustMaterial {
  readonly signers:
    | { readonly kind: "keys"; readonly keys: readonly KeyObject[] }
    | { readonly kind: "certificates"; readonly rule: CertificateRule };
  readonly logs: readonly { readonly key: KeyObject; readonly id: Buffer }[];
}

/** Reads keys and certificates of a requirement. The problem names the file that is absent, unreadable or of another form. */
export async function readTrustMaterial(requirement: SigstoreRequirement): Promise<Result<TrustMaterial, string>> {
  const logs = all(await Promise.all(requirement.logKeys.map(readKey)));
  if (!logs.ok) return logs;
  const wrong = logs.value.find(({ asymmetricKeyType }) => asymmetricKeyType !== "ec");
  if (wrong !== undefined) return failed("the key of the transparency log is not an elliptic curve key");
  const logAuthorities = logs.value.map((key) => ({ key, id: logIdOf(key) }));
  const { signers } = requirement;
  if (signers.kind === "keys") {
    const keys = all(await Promise.all(signers.keys.map(readKey)));
    return keys.ok ? done({ signers: { kind: "keys", keys: keys.value }, logs: logAuthorities }) : keys;
  }
  const pem = await readMaterial(signers.authorities);
  if (!pem.ok) return pem;
  const authorities = certificatesIn(pem.value.toString("utf8"));
  if (authorities.length === 0) return failed(`${nameOf(signers.authorities)} holds no PEM certificate`);
  const { oidcIssuer, subjectEmail } = signers;
  return done({
    signers: { kind: "certificates", rule: { authorities, oidcIssuer, subjectEmail } },
    logs: logAuthorities,
  });
}

const logIdOf = (key: KeyObject): Buffer =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

async function readKey(source: MaterialSource): Promise<Result<KeyObject, string>> {
  const pem = await readMaterial(source);
  if (!pem.ok) return pem;
  const text = pem.value.toString("utf8");
  // A private key would be read as well; who puts one here has mistaken the file.
  if (!/-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(text)) return failed(`${nameOf(source)} is not a PEM public key`);
  try {
    const key = createPublicKey(text);
    if (key.asymmetricKeyType === "ec" || key.asymmetricKeyType === "rsa") return done(key);
    return failed(
      `${nameOf(source)} is a key of type ${key.asymmetricKeyType ?? "unknown"}; EC and RSA keys are supported`,
    );
  } catch (error) {
    return failed(
      `${nameOf(source)} is not a PEM public key: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function readMaterial(source: MaterialSource): Promise<Result<Buffer, string>> {
  if (source.kind === "data") return done(Buffer.from(source.bytes));
  try {
    return done(await readFile(source.path));
  } catch (error) {
    return failed(`${source.path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const nameOf = (source: MaterialSource): string => (source.kind === "file" ? source.path : "the key in the policy");
