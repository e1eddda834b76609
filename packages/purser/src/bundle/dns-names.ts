/** Kubernetes' messages about a name that is no DNS-1123 subdomain; empty when it is valid. */
export function dnsSubdomainFault(name: string): readonly string[] {
  const faults: string[] = [];
  if (name.length > 253) faults.push("must be no more than 253 characters");
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)) {
    faults.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return faults;
}
