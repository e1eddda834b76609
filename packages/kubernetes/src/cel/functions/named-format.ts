import { isDate, isDateTime } from "./date-text.ts";
import { parseGoUrl } from "./go-url.ts";

/** A format of `format.named` and `format.<name>()`; `faults` returns an empty list for a valid text. */
export interface NamedFormat {
  readonly name: string;
  faults(text: string): readonly string[];
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const labelRule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
const dns1035Rule = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${dns1035}')`;
const qualifiedRule = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`;
const labelValueRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualified})?')`;

function patterned(pattern: string, limit: number, rule: string): (text: string) => readonly string[] {
  const expression = new RegExp(`^(?:${pattern})$`);
  return (text) => [
    ...(text.length > limit ? [`must be no more than ${limit} bytes`] : []),
    ...(expression.test(text) ? [] : [rule]),
  ];
}

/** A prefix may end in a dash, because a generated suffix follows. */
function prefix(check: (text: string) => readonly string[]): (text: string) => readonly string[] {
  return (text) => check(text.endsWith("-") && text.length > 1 ? `${text.slice(0, -1)}a` : text);
}

const isLabel = patterned(label, 63, labelRule);
const isSubdomain = patterned(subdomain, 253, subdomainRule);
const isDns1035 = patterned(dns1035, 63, dns1035Rule);
const isName = patterned(qualified, 63, qualifiedRule);

function isQualifiedName(text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `a qualified name ${qualifiedRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [name = "", domain] = parts.toReversed();
  return [
    ...(domain === "" ? ["prefix part must be non-empty"] : []),
    ...(domain === undefined || domain === "" ? [] : isSubdomain(domain).map((fault) => `prefix part ${fault}`)),
    ...(name === "" ? ["name part must be non-empty"] : []),
    ...isName(name).map((fault) => `name part ${fault}`),
  ];
}

function simple(test: (text: string) => boolean, fault: string): (text: string) => readonly string[] {
  return (text) => (test(text) ? [] : [fault]);
}

const checks: Readonly<Record<string, readonly [name: string, check: (text: string) => readonly string[]]>> = {
  dns1123Label: ["DNS1123Label", isLabel],
  dns1123Subdomain: ["DNS1123Subdomain", isSubdomain],
  dns1035Label: ["DNS1035Label", isDns1035],
  qualifiedName: ["QualifiedName", isQualifiedName],
  dns1123LabelPrefix: ["DNS1123LabelPrefix", prefix(isLabel)],
  dns1123SubdomainPrefix: ["DNS1123SubdomainPrefix", prefix(isSubdomain)],
  dns1035LabelPrefix: ["DNS1035LabelPrefix", prefix(isDns1035)],
  labelValue: ["LabelValue", patterned(`(${qualified})?`, 63, labelValueRule)],
  uri: [
    "URI",
    (text) => (parseGoUrl(text) === undefined ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : []),
  ],
  uuid: [
    "UUID",
    simple(
      (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
      "does not match the UUID format",
    ),
  ],
  byte: [
    "Byte",
    simple(
      (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
      "invalid base64",
    ),
  ],
  date: ["Date", simple(isDate, "invalid date")],
  datetime: ["DateTime", simple(isDateTime, "invalid datetime")],
};

export const formatNames = Object.keys(checks);

export function namedFormat(name: string): NamedFormat | undefined {
  const held = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return held === undefined ? undefined : { name: held[0], faults: held[1] };
}
