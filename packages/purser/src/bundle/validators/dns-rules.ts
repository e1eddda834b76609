import { dnsSubdomainFault } from "../dns-names.ts";

const label =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with the name of a CSV: it must be a subdomain, and the value of a label. */
export function csvNameFaults(name: string): readonly string[] {
  const faults = [...dnsSubdomainFault(name)];
  if (new TextEncoder().encode(name).length > 63) faults.push("must be no more than 63 bytes");
  if (!/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(name)) faults.push(label);
  return faults;
}

/** Kubernetes' messages about an invalid DNS-1035 label; empty when it is valid. */
export function dnsLabelFaults(name: string): readonly string[] {
  const faults: string[] = [];
  if (name.length > 63) faults.push("must be no more than 63 characters");
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name))
    faults.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  return faults;
}
