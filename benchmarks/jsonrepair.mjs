// Lines in (each a JSON string that holds a broken text), lines out (the repaired text, or why not).
import { createInterface } from 'node:readline'
import { jsonrepair } from 'jsonrepair'

for await (const line of createInterface({ input: process.stdin })) {
  let answer
  try {
    answer = { text: jsonrepair(JSON.parse(line)) }
  } catch (error) {
    answer = { error: String(error.message) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
