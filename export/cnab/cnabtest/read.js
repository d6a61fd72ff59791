// Reads CNAB 240 files with nodenab and prints what it found, a line of JSON for each file.
//   node read.js LAYOUT.json FILE…
const fs = require('fs')
const { Layout, RetornoFile } = require('nodenab')

const [layoutPath, ...files] = process.argv.slice(2)
const layout = new Layout(0, '240', JSON.parse(fs.readFileSync(layoutPath)), { loadFromFile: false })
for (const file of files) {
  const text = fs.readFileSync(file, 'latin1').replaceAll('\r\n', '\n')
  const found = new RetornoFile(layout, text).generate()
  const details = found.lotes.flatMap(lote => lote.detalhes).map(segments => ({ ...segments }))
  console.log(JSON.stringify({ header: found.headerArquivo, trailer: found.trailerArquivo, details }))
}
