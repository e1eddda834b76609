import type { RollbackMode } from "../../apis/policy/update-policy.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { counted, listOf, summaryOf } from "../../explanation/summary.ts";
import type { ChangePlan, Changes } from "../change-plan/change-plan.ts";

/** What a rollback starts from. */
export interface RollbackWorld {
  readonly installation: string;
  /** From what is installed to the former version, compared with the cluster. */
  readonly changes: ChangePlan;
  /** Whether the version that is left was ready once: what its operator did since cannot be undone. */
  readonly wasReady: boolean;
  /** Installations that require an API or the package. */
  readonly dependents: readonly string[];
  /** Mode of the policy that decides, with its name; absent where none says anything. */
  readonly policy?: { readonly reference: string; readonly mode: RollbackMode };
}

export interface RollbackPlan {
  readonly changes: ChangePlan;
  /** What cannot be undone, one line each; with any of them the rollback needs an explicit yes. */
  readonly losses: readonly string[];
  /** What else happens meanwhile. */
  readonly notes: readonly string[];
}

/** Findings of CRD checks after which the API server could not serve what is stored. */
const impossible: ReadonlySet<string> = new Set(["scope", "storedVersionRemoval"]);

/** What a rollback loses; the problem is why it is not possible. */
export function rollbackPlan(world: RollbackWorld): RollbackPlan | Explanation {
  const { changes, wasReady, dependents, policy } = world;
  if (policy?.mode === "Never" || (policy?.mode === "BeforeReady" && wasReady)) return refusedBy(world, policy);
  const blocking = findingsOf(changes.total).filter(({ rule }) => impossible.has(rule));
  if (blocking.length > 0)
    return unsafe(
      world,
      blocking.map(({ text }) => text),
    );
  const ran = changes.from === undefined ? [] : [changes.from.version];
  return {
    changes,
    losses: [
      ...(wasReady ? ran.map((version) => `${version} ran: changes that it made outside of its objects are kept`) : []),
      ...findingsOf(changes.total)
        .filter(({ stored }) => stored !== 0)
        .map(
          ({ text, stored }) =>
            `${text}  (${stored === undefined ? "stored objects not counted" : counted(stored, "stored object")})`,
        ),
    ],
    notes: dependents.map((name) => `${name} requires it and may need the newer version`),
  };
}

function findingsOf({ crds }: Changes) {
  return crds.flatMap(({ name, findings, rules, stored }) =>
    findings.map((finding, index) => ({ rule: rules[index] ?? "unhandled", text: `${name}: ${finding}`, stored })),
  );
}

function refusedBy(
  { installation, changes }: RollbackWorld,
  { reference, mode }: NonNullable<RollbackWorld["policy"]>,
): Explanation {
  const when = mode === "Never" ? "allows no rollback" : "allows a rollback only before the new version was ready";
  return {
    code: "VersionHeld",
    summary: summaryOf(`${installation} stays at ${changes.from?.version ?? "its version"}: ${reference} ${when}`),
    facts: { installation, policy: reference, rollback: mode, to: changes.to.name },
    derivation: [{ relation: "excluded", subject: changes.to.name, text: `${reference}: rollback ${mode}` }],
    remedies: [
      { summary: "see which policy decides, and change it", command: `purser policy effective ${installation}` },
    ],
  };
}

function unsafe({ installation, changes }: RollbackWorld, findings: readonly string[]): Explanation {
  const { to } = changes;
  return {
    code: "CrdUnsafe",
    summary: summaryOf(`${to.version} cannot serve objects that are stored: ${listOf(findings, 2)}`),
    facts: { installation, to: to.name, findings },
    derivation: findings.map((text) => ({ relation: "conflicts", subject: to.name, text })),
    remedies: [
      { summary: "choose a revision whose CRDs have the stored versions", command: `purser history ${installation}` },
      {
        summary: "write all objects in an older version, and remove the newer one from the CRD's status.storedVersions",
      },
    ],
  };
}
