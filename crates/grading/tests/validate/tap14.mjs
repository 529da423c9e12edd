// Reads a TAP 14 report from standard input with node-tap's parser, strictly; prints [ok, skipped] of each test point.
// The first argument is the folder that tap-parser was installed into.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const require = createRequire(join(resolve(process.argv[2]), 'package.json'))
const { Parser } = require('tap-parser')

const points = []
const parser = new Parser({ strict: true }, results => {
  const broken = results.failures.filter(failure => failure.tapError)
  if (broken.length || results.bailout || results.count !== points.length) {
    console.error(JSON.stringify(broken), results.bailout, results.count)
    process.exit(1)
  }
  console.log(JSON.stringify(points))
})
parser.on('assert', point => points.push([point.ok, point.skip !== false]))
parser.end(readFileSync(0, 'utf8'))
