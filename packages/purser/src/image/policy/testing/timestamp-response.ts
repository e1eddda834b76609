import { createHash, sign } from "node:crypto";
import {
  type Der,
  objectIdentifier,
  octetString,
  positiveInteger,
  sequence,
  setOf,
  tagged,
} from "@purser/kubernetes/testing/der";
import type { Identity } from "./code-signing.ts";

const sha256 = sequence(objectIdentifier("2.16.840.1.101.3.4.2.1"));
const hashOf = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const integer = (value: number): Der => positiveInteger(Uint8Array.of(value));

/** A timestamp of `signed` by an authority, as a response of RFC 3161 holds it. `issuer` has issued the authority's certificate. */
export function timestampOf(
  signed: Uint8Array,
  {
    authority,
    issuer,
    at,
  }: { readonly authority: Identity; readonly issuer: Identity; /** Unix seconds. */ readonly at: number },
): Der {
  const digits = new Date(at * 1000).toISOString().slice(0, 19).replaceAll(/\D/g, "");
  const info = sequence(
    integer(1),
    objectIdentifier("1.3.6.1.4.1.57264.2"),
    sequence(sha256, octetString(hashOf(signed))),
    integer(9),
    tagged(0x18, Buffer.from(`${digits}Z`, "latin1")),
  );
  const attribute = (type: string, value: Der): Der => sequence(objectIdentifier(type), setOf(value));
  const attributes = [
    attribute("1.2.840.113549.1.9.3", objectIdentifier("1.2.840.113549.1.9.16.1.4")),
    attribute("1.2.840.113549.1.9.4", octetString(hashOf(info))),
  ];
  const signer = sequence(
    integer(1),
    sequence(issuer.name, integer(authority.serial)),
    sha256,
    tagged(0xa0, ...attributes),
    sequence(objectIdentifier("1.2.840.10045.4.3.2")),
    octetString(sign("sha256", tagged(0x31, ...attributes), authority.privateKey)),
  );
  const content = sequence(
    integer(3),
    setOf(sha256),
    sequence(objectIdentifier("1.2.840.113549.1.9.16.1.4"), tagged(0xa0, octetString(info))),
    setOf(signer),
  );
  return sequence(sequence(integer(0)), sequence(objectIdentifier("1.2.840.113549.1.7.2"), tagged(0xa0, content)));
}
