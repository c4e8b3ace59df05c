// Files for the operation type of the tests. Whatever server they run against, its type (by default
// "device-provisioning") takes the columns IMEI, customer and plan, the metadata requested_by, and has the
// steps SIM Activation, Carrier Approval (signalled) and Customer Notification. What a row does is said
// by its customer:
//
//   refuse    SIM Activation fails, and succeeds when the row is retried
//   approve   Carrier Approval waits for the signal "carrier-" and the IMEI
//   slow      SIM Activation takes some 40 ms
//   else      every step succeeds at once
//
// A plan that is not a whole number cannot be parsed; an IMEI without 15 digits is not valid.

let next = 350_000_000_000_000 + Math.floor(Math.random() * 1e12);

export function row(customer = "Ada", { imei = String(next++), plan = "2" } = {}) {
  return `${imei},${customer},${plan}`;
}

export function csv(name, rows) {
  return { name, mimeType: "text/csv", buffer: Buffer.from(["IMEI,customer,plan", ...rows].join("\n") + "\n") };
}

export function repeat(count, make) {
  return Array.from({ length: count }, (_, i) => make(i));
}
