#include "server/library/snapshot/own_catalog.h"

#include "lib/core/error.h"

bool own_catalog_open(struct own_catalog *own, const struct upload_source *source,
                      const struct own_setting *setting)
{
    const struct service *service = setting->service;
    const struct index_neighbours paths = {setting->common->archives, setting->common->path_count};
    *own =
        (struct own_catalog){.archive = setting->keeps ? index_upload_kept(source, &paths, &setting->options)
                                                       : index_upload(source, &paths, &setting->options)};
    if (!index_verdict(own->archive, &own->refusal))
        return false;
    own->catalog = catalog_new(&own->archive, 1, 0, NULL, service->shipped, service->shipped_count);
    if (own->catalog)
        return true;
    pose_error_init(&own->refusal.error);
    return error_no_memory(&own->refusal.error);
}

void own_catalog_close(struct own_catalog *own)
{
    catalog_unref(own->catalog);
    index_archive_unref(own->archive);
}
