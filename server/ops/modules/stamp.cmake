# Writes OUT, a header with a stamp of what programs and modules must agree on: every header of the tree. Run with
# -DROOT= and -DOUT=.
file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/lib/*.h ${ROOT}/server/*.h ${ROOT}/api/*.h)
list(SORT headers)
set(all "")
foreach(header IN LISTS headers)
  file(SHA256 ${ROOT}/${header} digest)
  string(APPEND all "${header} ${digest}\n")
endforeach()
string(SHA256 stamp "${all}")
file(WRITE ${OUT} "#define MODULE_STAMP \"${stamp}\"\n")
