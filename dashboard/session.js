// Who is looking, and whether they may act.

import { get } from "./api.js";

let known = { name: "bulk", version: "", read_only: true, principal: null };

export async function openSession() {
  known = await get("");
  return known;
}

export function session() {
  return known;
}

export function mayOperate() {
  return !known.read_only;
}

// Files as they were uploaded, with personal data in clear.
export function mayReadFiles() {
  return known.principal?.may_read_files !== false;
}

// Whether the program has operations, or feeds: it may be made for one of them only.
export function has(what) {
  const links = Object.keys(known.links ?? {});
  return links.length === 0 || links.includes(what);
}

const principalName = (who) => (who && typeof who === "object" ? who.name : who);
export function whoAmI() {
  return principalName(known.principal) ?? "nobody";
}
