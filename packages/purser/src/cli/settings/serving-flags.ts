// Flags that say where `up` and `run` serve what, and with which certificates.
import type { ApiFamily } from "../../apis/api-family.ts";
import type { ServingSecret } from "../../endpoints/serving-secret/serving-secret.ts";
import type { DoorServing } from "../../engine/doors.ts";
import type { CatalogServing } from "../../engine/serving/catalog-serving.ts";
import type { PackageServing } from "../../engine/serving/package-api.ts";
import { type TraceOptions, traceSettings } from "../../engine/tracing/trace-settings.ts";
import { defaultGates } from "../../feature-gates.ts";
import { tlsProfile, type TlsProfileFlags, type TlsSettings } from "../../registry-api/http/tls-profile.ts";
import { flagOption, type Invocation, textOption, UsageError } from "../command.ts";
import { hostAndPort } from "../host-and-port.ts";
import { ownVersion } from "../own-version.ts";
import { gatesOf } from "./shared-flags.ts";

/** The value of a flag that names an object of a namespace. @throws UsageError */
export function namespacedOption(
  invocation: Invocation,
  flag: string,
  what: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const text = textOption(invocation, flag);
  if (text === undefined) return undefined;
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace === "" || name === "" || rest.length > 0)
    throw new UsageError(`--${flag} "${text}" does not name ${what}`, "write NAMESPACE/NAME");
  return { namespace, name };
}

/** The certificate that all replicas share. @throws UsageError */
export function servingSecret(invocation: Invocation): ServingSecret | undefined {
  const key = namespacedOption(invocation, "serving-secret", "a Secret");
  const issuer = textOption(invocation, "serving-secret-issuer");
  if (key !== undefined) return { ...key, issuer: issuer === "others" ? "others" : "own" };
  if (issuer !== undefined)
    throw new UsageError("--serving-secret-issuer requires --serving-secret", "name the Secret");
  return undefined;
}

const loopback = "127.0.0.1";

/** Where catalogs are served; undefined with `--catalog-address none`. @throws UsageError */
export function catalogServing(invocation: Invocation): CatalogServing | undefined {
  const address = textOption(invocation, "catalog-address");
  const origin = textOption(invocation, "catalog-origin");
  const [certificate, key] = [textOption(invocation, "catalog-tls-cert"), textOption(invocation, "catalog-tls-key")];
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError(
      "--catalog-tls-cert and --catalog-tls-key belong together",
      "give both, or neither for plain HTTP",
    );
  const isShared = flagOption(invocation, "catalog-tls");
  if (isShared && (certificate !== undefined || textOption(invocation, "serving-secret") === undefined))
    throw new UsageError(
      "--catalog-tls serves the certificate of --serving-secret",
      "name the Secret, and leave out --catalog-tls-cert",
    );
  if (isShared && !(origin ?? "").startsWith("https://"))
    throw new UsageError(
      "--catalog-tls needs an origin of https",
      "write --catalog-origin https://SERVICE.NAMESPACE.svc",
    );
  const gates = gatesOf(invocation);
  if (address === "none") return undefined;
  const offered = tlsSettings(invocation);
  const shared = isShared ? { usesSharedCertificate: true as const, ...offered } : {};
  const files = certificate === undefined || key === undefined ? shared : { files: { certificate, key, ...offered } };
  const tls = gates === defaultGates ? files : { ...files, gates };
  if (origin !== undefined && !/^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(origin))
    throw new UsageError(`--catalog-origin "${origin}" is not an http or https URL without a query`);
  const named = origin === undefined ? {} : { origin: origin.replace(/\/+$/, "") };
  if (address === undefined) return { host: loopback, ...named, ...tls };
  const [host, port] = hostAndPort(address);
  if (port === undefined || host === "")
    throw new UsageError(`--catalog-address "${address}" is not an address`, "write HOST:PORT or none");
  if (origin === undefined && (host === "0.0.0.0" || host === "::"))
    throw new UsageError(
      `--catalog-address "${address}" is every address of this machine, and ClusterCatalogs show one`,
      "name it with --catalog-origin http://HOST:PORT",
    );
  return { host, port, ...named, ...tls };
}

/** Where PackageManifests are served; undefined without OLM v0. @throws UsageError */
export function packageServing(
  invocation: Invocation,
  byDefault: boolean,
  families: readonly ApiFamily[],
): PackageServing | "none" | undefined {
  const address = textOption(invocation, "package-api-address");
  const wanted = invocation.options["package-api"];
  const service = packageService(invocation);
  if (service !== undefined && (address === undefined || textOption(invocation, "serving-secret") === undefined))
    throw new UsageError(
      "--package-api-service needs the address and the certificate of the replicas",
      "give --package-api-address and --serving-secret as well",
    );
  if (!families.includes("v0")) {
    if (wanted !== true && address === undefined) return undefined;
    throw new UsageError("PackageManifests belong to OLM v0", "leave out the flag, or add v0 to --apis");
  }
  if (wanted === false && address !== undefined)
    throw new UsageError("--no-package-api and --package-api-address exclude each other");
  if (address === undefined) return (wanted ?? byDefault) === true ? { host: loopback } : "none";
  const [host, port] = hostAndPort(address);
  if (port === undefined || host === "") throw new UsageError(`--package-api-address "${address}" is not HOST:PORT`);
  if (host === "0.0.0.0" || host.includes(":"))
    throw new UsageError(
      `--package-api-address "${address}" is not an address that a Service of the cluster can name`,
      "write a host name or an IPv4 address by which the cluster's API server reaches this machine",
    );
  return { host, port, ...(service === undefined ? {} : { service }) };
}

/** The Service that leads to every replica. @throws UsageError */
function packageService(invocation: Invocation): PackageServing["service"] {
  const named = namespacedOption(invocation, "package-api-service", "a Service");
  if (named === undefined) return undefined;
  const [name = "", port = "443", ...rest] = named.name.split(":");
  if (name === "" || rest.length > 0 || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(
      `--package-api-service "${named.namespace}/${named.name}" does not name a port of a Service`,
      "write NAMESPACE/NAME or NAMESPACE/NAME:PORT",
    );
  return { namespace: named.namespace, name, port: Number(port) };
}

/** Where health, metrics and debug pages are served. @throws UsageError */
export function doorServing(invocation: Invocation): DoorServing | undefined {
  const address = textOption(invocation, "metrics-address");
  const certificate = textOption(invocation, "tls-cert");
  const key = textOption(invocation, "tls-key");
  const clientAuthorities = textOption(invocation, "client-ca");
  const debug = flagOption(invocation, "debug-pages");
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError("--tls-cert and --tls-key belong together", "give both, or neither for plain HTTP");
  if (clientAuthorities !== undefined && certificate === undefined)
    throw new UsageError("--client-ca needs TLS", "give --tls-cert and --tls-key as well");
  if (debug && certificate !== undefined)
    throw new UsageError(
      "--debug-pages is for plain HTTP",
      "with TLS, --client-ca names the authorities of those who may open the debug pages",
    );
  if (address === undefined) {
    if (certificate === undefined && !debug) return undefined;
    throw new UsageError("--metrics-address is missing", "write --metrics-address HOST:PORT");
  }
  const [host, port] = hostAndPort(address);
  if (port === undefined)
    throw new UsageError(`--metrics-address "${address}" is not an address`, "write HOST:PORT or :PORT");
  const files =
    certificate === undefined || key === undefined
      ? {}
      : {
          files: {
            certificate,
            key,
            ...tlsSettings(invocation),
            ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
          },
        };
  return { host: host === "" ? "::" : host, port, debug, ...files };
}

/** Whether spans are sent. @throws UsageError */
export function traces(invocation: Invocation): TraceOptions {
  const endpoint = textOption(invocation, "otlp-endpoint");
  if (endpoint !== undefined && !/^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(endpoint))
    throw new UsageError(
      `--otlp-endpoint "${endpoint}" is not an http or https URL without a query`,
      "write http://HOST:4318",
    );
  return { settings: traceSettings(invocation.terminal.env, endpoint), version: ownVersion() };
}

/** What is offered with TLS; nothing without a flag. @throws UsageError */
function tlsSettings(invocation: Invocation): { readonly settings?: TlsSettings } {
  const flags = {
    profile: "tls-profile",
    ciphers: "tls-custom-ciphers",
    curves: "tls-custom-curves",
    version: "tls-custom-version",
  };
  const given = Object.entries(flags).flatMap(([name, flag]) => {
    const value = textOption(invocation, flag);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length === 0) return {};
  const profile = tlsProfile(Object.fromEntries(given) as TlsProfileFlags);
  if (!profile.ok) throw new UsageError(profile.problem);
  return { settings: profile.value };
}
