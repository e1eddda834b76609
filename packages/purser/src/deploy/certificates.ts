import { ownLabels } from "./labels.ts";
import { only, text, type Template, value } from "./template.ts";

const apiVersion = "cert-manager.io/v1";
const named = (name: string): Template => ({ name, namespace: value("namespace"), labels: ownLabels });
const authorityName = "purser-authority";
const privateKey = { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" };

/** The certificate that all replicas share. */
const serving = (issuerRef: Template): Template => ({
  apiVersion,
  kind: "Certificate",
  metadata: named("purser-serving"),
  spec: {
    secretName: value("certificates.secret"),
    dnsNames: [
      only("packageApi", text`purser-packages.${"namespace"}.svc`),
      only("packageApi", text`purser-packages.${"namespace"}.svc.cluster.local`),
      only("catalogsTls", text`purser-catalogs.${"namespace"}.svc`),
      only("catalogsTls", text`purser-catalogs.${"namespace"}.svc.cluster.local`),
    ],
    privateKey,
    usages: ["digital signature", "server auth"],
    issuerRef,
  },
});

/** An authority of Purser's own, where no issuer is given. */
const authority: readonly Template[] = [
  { apiVersion, kind: "Issuer", metadata: named("purser-self-signed"), spec: { selfSigned: {} } },
  {
    apiVersion,
    kind: "Certificate",
    metadata: named(authorityName),
    spec: {
      isCA: true,
      commonName: authorityName,
      secretName: authorityName,
      duration: "87600h",
      privateKey: { algorithm: "ECDSA", size: 256 },
      issuerRef: { kind: "Issuer", name: "purser-self-signed" },
    },
  },
  { apiVersion, kind: "Issuer", metadata: named(authorityName), spec: { ca: { secretName: authorityName } } },
];

/** What cert-manager issues the certificate of the package API and of catalogs from. */
export const certificateManifests: readonly Template[] = [
  ...authority.map((template) => only("selfSigned", template)),
  only("selfSigned", serving({ kind: "Issuer", name: authorityName })),
  only("givenIssuer", serving(value("certificates.issuerRef"))),
];
