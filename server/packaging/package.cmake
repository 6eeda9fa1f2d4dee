# `cpack` in the build of the preset "package" makes posed_VERSION_ARCH.deb: daemon, library, header, unit, man pages.
set(here ${CMAKE_CURRENT_LIST_DIR})
install(FILES ${here}/posed.service ${here}/posed.socket DESTINATION lib/systemd/system)
install(FILES ${here}/posed.default DESTINATION /etc/default RENAME posed)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME posed)
set(CPACK_PACKAGE_CONTACT "the maintainers of posed <maintainers@posed.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "posed reads the animations, skeletons and meshes of games, loose or in archives,\nand serves poses, metadata and conversions over a JSON HTTP API.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libarchive13 | libarchive13t64") # opened when it is needed, which shlibdeps does not see
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${here}/postinst ${here}/prerm ${here}/postrm ${here}/triggers ${here}/conffiles)
include(CPack)
