// Compares a report of the suite with expected.json: whatever fails, passes or is skipped against
// expectation is a failure, and so is a suite that was cut short.
import { readFileSync } from "node:fs"

const [reportFile] = process.argv.slice(2)
const report = JSON.parse(readFileSync(reportFile, "utf8"))
const expected = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"))

const outcomes = []
for (const file of report.testResults) {
  for (const test of file.assertionResults) {
    outcomes.push([[...test.ancestorTitles, test.title].join(" > "), test.status])
  }
}

function isExpected(name, status) {
  if (name in expected.failed) return status === "failed"
  if (name in expected.skipped) return status === "skipped" || status === "pending"
  return status === "passed"
}

const surprises = []
for (const [name, status] of outcomes) {
  if (!isExpected(name, status)) surprises.push(`${status}: ${name}`)
}
for (const name of [...Object.keys(expected.failed), ...Object.keys(expected.skipped)]) {
  if (!outcomes.some(([ran]) => ran === name)) surprises.push(`expected, but there is no such test: ${name}`)
}
if (outcomes.length === 0) surprises.push("the suite ran no test")

for (const surprise of surprises) console.log(`not as expected: ${surprise}`)
console.log(`conformance: ${outcomes.length - surprises.length} as expected, ${surprises.length} not`)
process.exit(surprises.length === 0 ? 0 : 1)
