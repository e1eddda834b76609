import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  bitString,
  boolean,
  type Der,
  objectIdentifier,
  octetString,
  positiveInteger,
  sequence,
  setOf,
  tagged,
  time,
  utf8String,
} from "@purser/kubernetes/testing/der";

/** A certificate with its private key. */
export interface Identity {
  readonly pem: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly name: Der;
  readonly serial: number;
}

export interface Issued {
  readonly name: string;
  /** Signs the certificate; absent for a self-signed one. */
  readonly issuer?: Identity;
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** An authority; the number limits the authorities below it. */
  readonly authority?: true | number;
  readonly email?: string;
  readonly oidcIssuer?: string;
  readonly usage?: string;
}

const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const extension = (identifier: string, value: Der): Der => sequence(objectIdentifier(identifier), octetString(value));
let serial = 1;

/** Issues a certificate as Fulcio does: code signing, an e-mail address, the OIDC issuer in an extension. */
export function issue(wanted: Issued): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(setOf(sequence(objectIdentifier("2.5.4.3"), utf8String(wanted.name))));
  const { authority, email, oidcIssuer, usage = "1.3.6.1.5.5.7.3.3" } = wanted;
  const ownSerial = serial++;
  const limit = typeof authority === "number" ? [positiveInteger(Uint8Array.of(authority))] : [];
  const extensions =
    authority === undefined
      ? [extension("2.5.29.37", sequence(objectIdentifier(usage)))]
      : [
          extension("2.5.29.19", sequence(boolean(true), ...limit)),
          extension("2.5.29.15", bitString(Uint8Array.of(0x06), 1)),
        ];
  if (email !== undefined) extensions.push(extension("2.5.29.17", sequence(tagged(0x81, Buffer.from(email)))));
  if (oidcIssuer !== undefined) extensions.push(extension("1.3.6.1.4.1.57264.1.8", utf8String(oidcIssuer)));
  const signed = sequence(
    tagged(0xa0, positiveInteger(Uint8Array.of(2))),
    positiveInteger(Uint8Array.of(ownSerial)),
    ecdsaWithSha256,
    wanted.issuer?.name ?? name,
    sequence(time(new Date(wanted.from * 1000)), time(new Date(wanted.to * 1000))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", signed, wanted.issuer?.privateKey ?? privateKey);
  const base64 = Buffer.from(sequence(signed, ecdsaWithSha256, bitString(signature))).toString("base64");
  const pem = `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { pem, privateKey, publicKey, name, serial: ownSerial };
}
