import { createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { all, done, failed, type Result } from "@purser/kubernetes/result";
import { type CertificateRule, certificatesIn } from "./certificate-chain.ts";
import type { MaterialSource, SigstoreRequirement } from "./policy.ts";
import { authorityMismatch, type TimestampAuthority } from "./timestamp.ts";

/** What a requirement names, read. */
export interface TrustMaterial {
  readonly signers:
    | { readonly kind: "keys"; readonly keys: readonly KeyObject[] }
    | { readonly kind: "certificates"; readonly rule: CertificateRule };
  /** Keys of transparency logs. */
  readonly logs: readonly KeyObject[];
  readonly timestampAuthorities: readonly TimestampAuthority[];
}

/** Reads keys and certificates of a requirement. The problem names the file that is absent, unreadable or of another form. */
export async function readTrustMaterial(requirement: SigstoreRequirement): Promise<Result<TrustMaterial, string>> {
  const logs = all(await Promise.all(requirement.logKeys.map((source) => readKey(source, logKeyTypes))));
  if (!logs.ok) return logs;
  const { signers } = requirement;
  if (signers.kind === "keys") {
    const keys = all(await Promise.all(signers.keys.map((source) => readKey(source, signerKeyTypes))));
    return keys.ok
      ? done({ signers: { kind: "keys", keys: keys.value }, logs: logs.value, timestampAuthorities: [] })
      : keys;
  }
  const timestampAuthorities = all(await Promise.all(requirement.timestampAuthorities.map(readTimestampAuthority)));
  if (!timestampAuthorities.ok) return timestampAuthorities;
  const pem = await readMaterial(signers.authorities);
  if (!pem.ok) return pem;
  const authorities = certificatesIn(pem.value.toString("utf8"));
  if (authorities.length === 0) return failed(`${nameOf(signers.authorities)} holds no PEM certificate`);
  const { oidcIssuer, subjectEmail } = signers;
  return done({
    signers: { kind: "certificates", rule: { authorities, oidcIssuer, subjectEmail } },
    logs: logs.value,
    timestampAuthorities: timestampAuthorities.value,
  });
}

async function readTimestampAuthority(source: MaterialSource): Promise<Result<TimestampAuthority, string>> {
  const pem = await readMaterial(source);
  if (!pem.ok) return pem;
  const chain = certificatesIn(pem.value.toString("utf8"));
  const mismatch = authorityMismatch(chain);
  return mismatch === undefined ? done(chain) : failed(`${nameOf(source)} ${mismatch}`);
}

const keyTypes = { ec: "EC", ed25519: "Ed25519", rsa: "RSA" } as const;
const signerKeyTypes = ["ec", "rsa"] as const;
/** Ed25519 is that of Rekor 2. */
const logKeyTypes = ["ec", "ed25519"] as const;

async function readKey(
  source: MaterialSource,
  types: readonly (keyof typeof keyTypes)[],
): Promise<Result<KeyObject, string>> {
  const pem = await readMaterial(source);
  if (!pem.ok) return pem;
  const text = pem.value.toString("utf8");
  // A private key would be read as well; who puts one here has mistaken the file.
  if (!/-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(text))
    return failed(`${nameOf(source, "key")} is not a PEM public key`);
  try {
    const key = createPublicKey(text);
    const type = key.asymmetricKeyType;
    if (types.some((supported) => supported === type)) return done(key);
    const supported = types.map((name) => keyTypes[name]).join(" and ");
    return failed(
      `${nameOf(source, "key")} is a key of type ${type ?? "unknown"}; ${supported} keys are supported here`,
    );
  } catch (error) {
    return failed(
      `${nameOf(source, "key")} is not a PEM public key: ${error instanceof Error ? error.message : String(error)}`,
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

const nameOf = (source: MaterialSource, what: "key" | "text" = "text"): string =>
  source.kind === "file" ? source.path : `the ${what} in the policy`;
