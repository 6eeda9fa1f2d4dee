/* BVH: bytes in and out, and a conversion as a whole process beside assimp's of the same file. */
#include "pose.h"
#include "tests/bench/bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOINTS = 60, FRAMES = 300, ROUNDS = 9 };

struct file {
    char *text;
    size_t size;
    struct pose_document *document;
    char path[64], glb[64], other[64];
};

/* A chain of joints that all turn. */
static void make_text(struct file *file)
{
    FILE *out = open_memstream(&file->text, &file->size);
    if (!out)
        abort();
    fputs("HIERARCHY\n", out);
    for (int joint = 0; joint < JOINTS; joint++)
        fprintf(out, "%s joint%d\n{\nOFFSET 0 %d 0\nCHANNELS %s Zrotation Xrotation Yrotation\n",
                joint ? "JOINT" : "ROOT", joint, joint % 5, joint ? "3" : "6 Xposition Yposition Zposition");
    fputs("End Site\n{\nOFFSET 0 1 0\n}\n", out);
    for (int joint = 0; joint < JOINTS; joint++)
        fputs("}\n", out);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.033333\n", FRAMES);
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int number = 0; number < 3 * JOINTS + 3; number++)
            fprintf(out, "%s%.4f", number ? " " : "", 40 * sin(frame * (0.02 + 0.001 * number)));
        fputc('\n', out);
    }
    if (fclose(out))
        abort();
}

static void read_bvh(void *subject)
{
    const struct file *file = subject;
    const struct pose_source source = {
        .name = "bench.bvh", .bytes = {(const uint8_t *)file->text, file->size}, .format = "bvh"};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    if (!document)
        abort();
    bench_use(document);
    pose_document_free(document);
}

static void write_bvh(void *subject)
{
    const struct file *file = subject;
    const struct pose_content content = {.clip_count = 1,
                                         .clips = file->document->clips,
                                         .skeleton_count = 1,
                                         .skeletons = file->document->skeletons};
    struct pose_buffer out = {0};
    if (!pose_encode("bvh", &content, NULL, NULL, NULL, &out, NULL))
        abort();
    bench_use(out.data);
    pose_buffer_free(&out);
}

/* The numbers alone, by the C library. */
static void scan_numbers(void *subject)
{
    const struct file *file = subject;
    const char *at = strstr(file->text, "Frame Time: ") + 12;
    double sum = 0;
    for (char *end; sum += strtod(at, &end), end != at;)
        at = end;
    bench_use(&sum);
}

/* Runs it to its end: the processor's seconds that it took, which other programs hardly change; less than 0 when it fails. */
static double run_program(const char *const arguments[])
{
    struct rusage used;
    int status = -1;
    pid_t child = fork();
    if (!child) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        return -1;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void compare_programs(struct file *file)
{
    char folder[] = "/tmp/posed-bench-XXXXXX";
    if (!mkdtemp(folder))
        abort();
    snprintf(file->path, sizeof file->path, "%s/x.bvh", folder);
    snprintf(file->glb, sizeof file->glb, "%s/x.glb", folder);
    snprintf(file->other, sizeof file->other, "%s/y.glb", folder);
    FILE *out = fopen(file->path, "w");
    if (!out || fwrite(file->text, 1, file->size, out) != file->size || fclose(out))
        abort();
    const char *const assimp[] = {"assimp", "export", file->path, file->other, NULL}, *const posed[] = {
                                                                                          POSED_PROGRAM,
                                                                                          "convert",
                                                                                          file->path,
                                                                                          file->glb, NULL};
    double theirs = -1, ours = -1;
    for (int round = 0; round < ROUNDS; round++) {
        double first = run_program(assimp), second = run_program(posed);
        theirs = round && theirs < first ? theirs : first;
        ours = round && ours < second ? ours : second;
    }
    if (theirs < 0 || ours < 0)
        printf("SKIPPED: %s cannot convert BVH\n", ours < 0 ? "posed" : "assimp");
    else
        printf("%-44s %12s %8s\n  %-42s %12.2f %8.3f\n  %-42s %12.2f %8.3f\n",
               "BVH to GLB, 60 joints by 300 frames, programs", "CPU ms", "ratio", "assimp export",
               1e3 * theirs, 1.0, "posed convert", 1e3 * ours, ours / theirs);
    unlink(file->path);
    unlink(file->glb);
    unlink(file->other);
    rmdir(folder);
}

static void run(void)
{
    struct file file = {0};
    make_text(&file);
    const struct pose_source source = {
        .name = "bench.bvh", .bytes = {(const uint8_t *)file.text, file.size}, .format = "bvh"};
    file.document = pose_decode(&source, NULL, NULL);
    if (!file.document)
        abort();
    const struct bench_contestant rows[] = {
        {"strtod of its numbers", scan_numbers, &file, (double)file.size},
        {"BVH read", read_bvh, &file, (double)file.size},
        {"BVH written", write_bvh, &file, (double)file.size},
    };
    bench_compare("60 joints by 300 frames as BVH", "MB/s", 1e6, rows, 3);
    compare_programs(&file);
    pose_document_free(file.document);
    free(file.text);
}

const struct bench_part bench_bvh = {"bvh", run};
