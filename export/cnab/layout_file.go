package cnab

// FileHeader is the first record of every file (type 0).
var FileHeader = newLayout("file header", []Field{
	num("01.0", "banco", 1, 3, "Banco"),
	num("02.0", "lote", 4, 7, "Lote").only("0000"),
	num("03.0", "registro", 8, 8, "Registro").only("0"),
	filler("04.0", 9, 17),
	num("05.0", "tipo_inscricao", 18, 18, "Tipo inscrição").in(taxIDKinds),
	num("06.0", "numero_inscricao", 19, 32, "Número inscrição").as(taxID),
	alfa("07.0", "convenio", 33, 52, "Convênio"),
	num("08.0", "agencia", 53, 57, "Agência"),
	alfa("09.0", "dv_agencia", 58, 58, "DV agência"),
	num("10.0", "conta", 59, 70, "Conta"),
	alfa("11.0", "dv_conta", 71, 71, "DV conta"),
	alfa("12.0", "dv_ag_conta", 72, 72, "DV ag/conta"),
	alfa("13.0", "nome_empresa", 73, 102, "Nome empresa"),
	alfa("14.0", "nome_banco", 103, 132, "Nome banco"),
	filler("15.0", 133, 142),
	num("16.0", "rem_ret", 143, 143, "Rem/Ret").in(directions).only("2"),
	date("17.0", "data_geracao", 144, 151, "Data geração"),
	clock("18.0", "hora_geracao", 152, 157, "Hora geração"),
	num("19.0", "nsa", 158, 163, "NSA"),
	num("20.0", "layout_arquivo", 164, 166, "Layout arquivo").as(version),
	num("21.0", "densidade", 167, 171, "Densidade"),
	alfa("22.0", "reservado_banco", 172, 191, "Reservado banco"),
	alfa("23.0", "reservado_empresa", 192, 211, "Reservado empresa"),
	filler("24.0", 212, 240),
})

// FileTrailer is the last record of every file (type 9).
var FileTrailer = newLayout("file trailer", []Field{
	num("01.9", "banco", 1, 3, "Banco"),
	num("02.9", "lote", 4, 7, "Lote").only("9999"),
	num("03.9", "registro", 8, 8, "Registro").only("9"),
	filler("04.9", 9, 17),
	num("05.9", "qtde_lotes", 18, 23, "Qtde lotes"),
	num("06.9", "qtde_registros", 24, 29, "Qtde registros"),
	num("07.9", "qtde_contas_concil", 30, 35, "Qtde contas concil"),
	filler("08.9", 36, 240),
})
