// Syntax of label keys and values, with apimachinery's error texts.
const name = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const value = `(${name})?`;
const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

const namePattern = new RegExp(`^(?:${name})$`);
const valuePattern = new RegExp(`^(?:${value})$`);
const subdomainPattern = new RegExp(`^(?:${subdomain})$`);

const nameRule = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${name}')`;
const valueRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${value}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;

const encoder = new TextEncoder();
const none: readonly string[] = [];

function tooLong(text: string, bytes: number): readonly string[] {
  return encoder.encode(text).length > bytes ? [`must be no more than ${bytes} bytes`] : [];
}

function subdomainFaults(text: string): readonly string[] {
  return [...tooLong(text, 253), ...(subdomainPattern.test(text) ? [] : [subdomainRule])];
}

/** Faults of a label (or annotation) key; empty when it is a qualified name. */
export function labelKeyFaults(key: string): readonly string[] {
  if (key.length * 3 <= 63 && namePattern.test(key)) return none;
  const parts = key.split("/");
  if (parts.length > 2)
    return [`a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const [last = "", prefix] = parts.toReversed();
  const faults: string[] = [];
  if (prefix === "") faults.push("prefix part must be non-empty");
  else if (prefix !== undefined) faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (last === "") faults.push("name part must be non-empty");
  faults.push(...tooLong(last, 63).map((fault) => `name part ${fault}`));
  if (!namePattern.test(last)) faults.push(`name part ${nameRule}`);
  return faults;
}

/** Faults of a label value; an empty value is valid. */
export function labelValueFaults(text: string): readonly string[] {
  if (text.length * 3 <= 63 && valuePattern.test(text)) return none;
  return [...tooLong(text, 63), ...(valuePattern.test(text) ? [] : [valueRule])];
}
