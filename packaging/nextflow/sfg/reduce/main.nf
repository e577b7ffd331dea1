process SFG_REDUCE {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"

    input:
    tuple val(meta), path(table)

    output:
    tuple val(meta), path("${prefix}.kept.txt")     , emit: kept
    tuple val(meta), path("${prefix}.removed.tsv")  , emit: removed
    tuple val(meta), path("${prefix}.groups.tsv")   , emit: groups
    tuple val(meta), path("${prefix}.equations.tsv"), emit: equations
    tuple val(meta), path("${prefix}.weights.tsv")  , emit: weights
    tuple val(meta), path("${prefix}.model.json")   , emit: model
    tuple val(meta), path("${prefix}.reduced.*")    , emit: reduced
    tuple val(meta), path("${prefix}.log")          , emit: log
    path "versions.yml"                             , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    sfg reduce \\
        '${table}' \\
        -o '${prefix}' \\
        --threads $task.cpus \\
        $args

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        sfg: \$(sfg --version | sed 's/^sfg //')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch '${prefix}'.{kept.txt,removed.tsv,groups.tsv,equations.tsv,weights.tsv,model.json,reduced.csv,log}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        sfg: \$(sfg --version | sed 's/^sfg //')
    END_VERSIONS
    """
}
