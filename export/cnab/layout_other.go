package cnab

// OtherDetail is what all detail records have in common. It reads the segments that have no table here, so that
// they are counted and numbered like the others.
var OtherDetail = newLayout("detail record", []Field{
	num("01.3", "banco", 1, 3, "Banco"),
	num("02.3", "lote", 4, 7, "Lote"),
	num("03.3", "registro", 8, 8, "Registro").only("3"),
	num("04.3", "numero_registro", 9, 13, "Nº registro"),
	alfa("05.3", "segmento", 14, 14, "Segmento"),
	// Nobody here knows what the rest holds, so it is treated as a person's data.
	alfa("06.3", "conteudo", 15, 240, "Conteúdo").as(person),
})
