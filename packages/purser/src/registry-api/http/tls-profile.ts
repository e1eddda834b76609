import { done, failed, type Result } from "@purser/kubernetes/result";

/** What a TLS server offers, in OpenSSL's names. */
export interface TlsSettings {
  readonly minVersion: (typeof versions)[keyof typeof versions];
  /** Of TLS 1.2 and older; absent: OpenSSL's default. Those of TLS 1.3 are always offered, as by Go. */
  readonly ciphers?: readonly string[];
  /** Absent: OpenSSL's default. */
  readonly curves?: readonly string[];
  /** Curves that this build of Node does not have are left out; else they are an error. */
  readonly skipsUnknownCurves: boolean;
}

/** The flags `--tls-profile` and `--tls-custom-*` of OLM v1; lists are comma-separated. */
export interface TlsProfileFlags {
  readonly profile?: string;
  readonly ciphers?: string;
  readonly curves?: string;
  readonly version?: string;
}

const versions = { "TLSv1.0": "TLSv1", "TLSv1.1": "TLSv1.1", "TLSv1.2": "TLSv1.2", "TLSv1.3": "TLSv1.3" } as const;

/** Suites of TLS 1.3, under one name everywhere. */
export const tls13Suites: readonly string[] = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
];

/** OpenSSL's names by those of Go's `crypto/tls`. RC4 and 3DES, which OpenSSL 3 no longer has, are missing. */
const opensslNames: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
};
const everyCipher = Object.values(opensslNames);

/** OpenSSL's names by those of the flag: `secp256r1` is IANA's name for `prime256v1`. */
const curveNames: Readonly<Record<string, string>> = {
  X25519MLKEM768: "X25519MLKEM768",
  X25519: "X25519",
  prime256v1: "prime256v1",
  secp256r1: "prime256v1",
  secp384r1: "secp384r1",
  secp521r1: "secp521r1",
  SecP256r1MLKEM768: "SecP256r1MLKEM768",
  SecP384r1MLKEM1024: "SecP384r1MLKEM1024",
};

const mozilla = { curves: ["X25519MLKEM768", "X25519", "prime256v1", "secp384r1"], skipsUnknownCurves: true } as const;

/** OLM v1's default. */
export const intermediate: TlsSettings = { ...mozilla, minVersion: "TLSv1.2", ciphers: everyCipher.slice(0, 6) };

/** Mozilla's profiles, as OLM v1 knows them: `old` is that of version 5.8. */
const profiles: Readonly<Record<string, TlsSettings>> = {
  modern: { ...mozilla, minVersion: "TLSv1.3" },
  intermediate,
  old: { ...mozilla, minVersion: "TLSv1", ciphers: everyCipher },
};

/** The settings that the flags ask for. The problem names the unknown profile, cipher, curve or version, in OLM's words. */
export function tlsProfile({ profile, ciphers, curves, version }: TlsProfileFlags): Result<TlsSettings, string> {
  const suites = named(
    ciphers,
    { ...opensslNames, ...Object.fromEntries(tls13Suites.map((name) => [name, ""])) },
    "cipher",
  );
  const groups = named(curves, curveNames, "curve");
  const minVersion = version === undefined ? versions["TLSv1.2"] : own(versions, version);
  if (!suites.ok) return suites;
  if (!groups.ok) return groups;
  if (minVersion === undefined) return failed(`unknown TLS version: "${version}"`);
  const name = (profile ?? "intermediate").toLowerCase();
  if (name === "custom")
    return done({
      minVersion,
      ...(suites.value.length === 0 ? {} : { ciphers: suites.value.filter((suite) => suite !== "") }),
      ...(groups.value.length === 0 ? {} : { curves: groups.value }),
      skipsUnknownCurves: false,
    });
  const settings = own(profiles, name);
  return settings === undefined ? failed(`unknown TLS profile: "${profile}"`) : done(settings);
}

function named(
  list: string | undefined,
  known: Readonly<Record<string, string>>,
  what: string,
): Result<readonly string[], string> {
  const names = list === undefined || list === "" ? [] : list.split(",");
  const found = names.map((name) => own(known, name));
  const unknown = names.find((_, at) => found[at] === undefined);
  return unknown === undefined ? done(found.map((name) => name ?? "")) : failed(`unknown ${what} "${unknown}"`);
}

const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
