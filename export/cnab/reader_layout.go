package cnab

// layoutOf tells the layout from the record type, and from service and segment.
func (r *reader) layoutOf(rec *Record) *Layout {
	service := ""
	if r.lote != nil {
		service = r.lote.service
	}
	switch rec.raw[7] {
	case '0':
		return FileHeader
	case '1':
		if string(rec.raw[8:11]) == "E04" {
			return ExtratoHeader
		}
		return CobrancaHeader
	case '3':
		switch segment := rec.raw[13]; {
		case service == extratoService && segment == 'E':
			return SegmentE
		case service == cobrancaService && segment == 'T':
			return SegmentT
		case service == cobrancaService && segment == 'U':
			return SegmentU
		case service == cobrancaService && segment == 'Y' && string(rec.raw[17:19]) == "50":
			return SegmentY50
		}
		return OtherDetail
	case '5':
		if service == extratoService {
			return ExtratoTrailer
		}
		return CobrancaTrailer
	case '9':
		return FileTrailer
	}
	return nil
}
