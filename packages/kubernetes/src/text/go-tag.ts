import { type GoScalar, resolvePlain } from "./go-scalar.ts";
import { TextError } from "./problem.ts";

const coreTag = /^tag:yaml\.org,2002:(\w+)$/;

/** Resolves a scalar with an explicit tag as Go's YAML decoder does; unknown tags leave the text unchanged. */
export function resolveTagged(
  tag: string,
  text: string,
  offset: number,
): { readonly scalar: GoScalar; readonly text: string } {
  const name = coreTag.exec(tag)?.[1];
  // A custom tag makes it a string without further resolution.
  const asText = { scalar: { kind: "string" }, text } as const;
  if (name === undefined || name === "str" || name === "timestamp") return asText;
  if (name === "binary") return { scalar: { kind: "string" }, text: decodeBinary(text, offset) };
  if (name !== "bool" && name !== "int" && name !== "float" && name !== "null") return asText;
  const scalar = resolvePlain(text);
  if (scalar.kind === name) return { scalar, text };
  if (name === "float" && scalar.kind === "int")
    return { scalar: { kind: "float", value: Number(scalar.digits) }, text };
  throw new TextError(
    "syntax",
    offset,
    `cannot decode !!${scalar.kind === "string" ? "str" : scalar.kind} \`${text}\` as a !!${name}`,
  );
}

/** As Go's `base64.StdEncoding`: with its padding, and without white space but line breaks. */
const standardBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBinary(text: string, offset: number): string {
  const letters = text.replaceAll(/[\r\n]/g, "");
  if (!standardBase64.test(letters))
    throw new TextError("syntax", offset, "!!binary value contains invalid base64 data");
  return new TextDecoder().decode(Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0)));
}
